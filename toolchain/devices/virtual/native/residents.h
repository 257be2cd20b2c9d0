/* Resident blocks: what a worker keeps for all of them, and how one begins and ends. */
#ifndef VG_RESIDENTS_H
#define VG_RESIDENTS_H

#include "runtime.h"

/* A warp's state between time slices. */
enum { VG_RUNNABLE, VG_AT_BARRIER, VG_DONE };

/* What the blocks of one worker share. */
typedef struct {
    VgLaunch *launch;
    VgRange *ranges;
    uint8_t *heads;   /* what each warp's context begins with */
    int64_t *scratch; /* what counting code counts basic blocks into where nothing is sampled */
    int64_t *sampled; /* as the launch's counters, of sampled blocks that ended */
    int64_t *whole;   /* two a basic block, of all that ended */
    int64_t longest, longest_block;
    VgPending *pending;
} VgHome;

VgHome vg_home_new(VgLaunch *launch);
void vg_home_free(VgHome *home);

VgBlock *vg_block_new(const VgHome *home);
void vg_block_free(VgBlock *block);

/* Prepares block `index` of the grid; `number`: which sampled one it is, -1 where it is not counted. */
void vg_block_begin(const VgHome *home, VgBlock *block, int64_t index, int64_t number);

/* `is_whole`: whether the block came to its end. */
void vg_block_end(VgHome *home, VgBlock *block, int is_whole);

#endif
