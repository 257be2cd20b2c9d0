/* Where blocks and clusters are in the grid, and which come next. */
#ifndef VG_GRID_H
#define VG_GRID_H

#include "runtime.h"

/* How far a worker got with the blocks that are counted, and with the clusters that have none. */
typedef struct {
    int64_t sampled, filler;
    int64_t beyond; /* those that have counted blocks and ran are below it */
} VgTurn;

/* Blocks of a cluster; the linear index of the block of a cluster that has a rank. */
int vg_cluster_size(const VgLaunch *launch);
int64_t vg_cluster_block(const VgLaunch *launch, int64_t cluster, int rank);

/* The linear index of the next cluster to run, or -1. Those without counted blocks come last, if `filler`. */
int64_t vg_next_cluster(VgLaunch *launch, VgTurn *turn, int filler);

/* Which counted block this is, -1 where it is not counted; quick for the one that is next in turn. */
int64_t vg_sample_of(const VgLaunch *launch, const VgTurn *turn, int64_t block);

#endif
