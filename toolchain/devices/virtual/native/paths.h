/* How long a sampled block takes: the counts along its longest path, which goes on from warp to warp at barriers. */
#ifndef VG_PATHS_H
#define VG_PATHS_H

#include "runtime.h"

enum { VG_CLUSTER_PATH = VG_BARRIERS, VG_PATH_BARRIERS }; /* the cluster's barrier counts as one more */

/* Of one block. A warp's path is as many executions of each basic block as are its own and those it is `ahead`. */
struct VgPaths {
    int64_t *ahead;                             /* of each warp, a number a basic block */
    int64_t *arrived[VG_PATH_BARRIERS];         /* the longest path to each barrier, since it was released */
    int64_t arrived_length[VG_PATH_BARRIERS];   /* 0: none */
    size_t room;
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

/* Writes the longest path of a block that came to its end; its instructions. */
int64_t vg_paths_end(const VgBlock *block, int64_t *path);

#endif
