/* Where blocks and clusters are in the grid, and which come next. */
#ifndef VG_GRID_H
#define VG_GRID_H

#include "runtime.h"

/* How far a worker got with the blocks that are counted, and with the clusters that have none. */
typedef struct {
    int64_t sampled, filler;
    int64_t beyond; /* those that have counted blocks and ran are below it */
    int seat;       /* among the workers that share out the grid, from 1 on; 0: not yet one */
} VgTurn;

/* The grid in parts, one for each worker, which takes over half of another's when its own is done. Workers are then far
 * apart: where they run neighbours, their processors take the lines that both access away from each other. */
struct VgDeal {
    struct {
        _Alignas(64) _Atomic(uint64_t) share; /* the first cluster and, from bit 32 on, the one after the last */
    } of[VG_MOST_THREADS];
    int workers;
};

/* Begins to share out the grid of a launch; `deal` must last as long as that. */
void vg_deal(VgLaunch *launch, VgDeal *deal, int workers);

/* Blocks of a cluster; the linear index of the block of a cluster that has a rank. */
int vg_cluster_size(const VgLaunch *launch);
int64_t vg_cluster_block(const VgLaunch *launch, int64_t cluster, int rank);

/* The linear index of the next cluster to run, or -1. Those without counted blocks come last, if `filler`. */
int64_t vg_next_cluster(VgLaunch *launch, VgTurn *turn, int filler);

/* Which counted block this is, -1 where it is not counted; quick for the one that is next in turn. */
int64_t vg_sample_of(const VgLaunch *launch, const VgTurn *turn, int64_t block);

#endif
