/* How long a sampled block takes: the counts along its longest path, which goes on from warp to warp at barriers, and
 * from who arrives at an mbarrier to who waits there. */
#ifndef VG_PATHS_H
#define VG_PATHS_H

#include "runtime.h"

enum { VG_CLUSTER_PATH = VG_BARRIERS, VG_PATH_BARRIERS }; /* the cluster's barrier counts as one more */

/* The longest path to an mbarrier, of each of its last two phases by parity; length 0: none is known. */
typedef struct {
    uint64_t barrier;
    uint32_t phase; /* of the last arrival */
    int64_t length[2];
    int64_t *path[2];
} VgHandedOn;

/* Of one block. A warp's path is as many executions of each basic block as are its own and those it is `ahead`. */
struct VgPaths {
    int64_t *ahead;                             /* of each warp, a number a basic block */
    int64_t *arrived[VG_PATH_BARRIERS];         /* the longest path to each barrier, since it was released */
    int64_t arrived_length[VG_PATH_BARRIERS];   /* 0: none */
    size_t room;
    int64_t *polled;     /* of each warp, how often it had executed each basic block when it polled last */
    uint32_t has_polled; /* a bit a warp: whether it did */
    VgHandedOn *handed_on;
    size_t handed_on_count, handed_on_room;
};

/* After `vg_tally_begin`. */
void vg_paths_begin(VgBlock *block);
void vg_paths_free(VgBlock *block);

/* A warp arrives at a barrier. */
void vg_paths_arrive(VgBlock *block, int warp, uint32_t barrier);

/* A warp leaves a barrier: not before the last one has arrived. */
void vg_paths_follow(VgBlock *block, int warp, uint32_t barrier);

/* All warps in `leaving` meet at a barrier; where it is for `all`, those that have ended came to it, too. */
void vg_paths_meet(VgBlock *block, uint32_t barrier, const uint8_t *leaving, int all);

/* A warp arrives at an mbarrier in this phase, and goes on; one that sees the phase over has waited for all arrivals. */
void vg_paths_hand_on(const VgWarp *warp, uint64_t barrier, uint32_t phase);
void vg_paths_take_over(const VgWarp *warp, uint64_t barrier, uint32_t phase);

/* A warp asks whether a phase is over. If since it last asked it did nothing else, that was no way to go. */
void vg_paths_poll(const VgWarp *warp);

/* Writes the longest path of a block that came to its end; its instructions. */
int64_t vg_paths_end(const VgBlock *block, int64_t *path);

#endif
