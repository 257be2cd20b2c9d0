/* The grid as a row of clusters, each of them mostly a single block. */
#include "grid.h"

static int64_t clusters_of(const VgLaunch *launch)
{
    return (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] / vg_cluster_size(launch);
}

int vg_cluster_size(const VgLaunch *launch) { return launch->cluster[0] * launch->cluster[1] * launch->cluster[2]; }

int64_t vg_cluster_block(const VgLaunch *launch, int64_t cluster, int rank)
{
    int64_t index = 0, step = 1;
    for (int axis = 0; axis < 3; axis++) {
        int extent = launch->cluster[axis];
        int64_t across = launch->grid[axis] / extent;
        index += step * (cluster % across * extent + rank % extent);
        step *= launch->grid[axis];
        cluster /= across;
        rank /= extent;
    }
    return index;
}

static int64_t cluster_of(const VgLaunch *launch, int64_t block)
{
    if (vg_cluster_size(launch) == 1)
        return block;
    int64_t cluster = 0, step = 1;
    for (int axis = 0; axis < 3; axis++) {
        cluster += step * (block % launch->grid[axis] / launch->cluster[axis]);
        step *= launch->grid[axis] / launch->cluster[axis];
        block /= launch->grid[axis];
    }
    return cluster;
}

int64_t vg_sample_of(const VgLaunch *launch, const VgTurn *turn, int64_t block)
{
    if (launch->sampled && turn->sampled && launch->sampled[turn->sampled - 1] == block)
        return turn->sampled - 1;
    for (int64_t i = 0; launch->sampled && i < launch->sampled_count; i++)
        if (launch->sampled[i] == block)
            return i;
    return -1;
}

/* Whether one of the first `count` sampled blocks is in a cluster. */
static int holds_sampled(const VgLaunch *launch, int64_t cluster, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (cluster_of(launch, launch->sampled[i]) == cluster)
            return 1;
    return 0;
}

static int64_t next_sampled(const VgLaunch *launch, VgTurn *turn, int filler)
{
    while (turn->sampled < launch->sampled_count) {
        int64_t place = turn->sampled++, cluster = cluster_of(launch, launch->sampled[place]);
        if (cluster < turn->beyond && holds_sampled(launch, cluster, place))
            continue;
        turn->beyond = cluster < turn->beyond ? turn->beyond : cluster + 1;
        return cluster;
    }
    while (filler && turn->filler < clusters_of(launch))
        if (!holds_sampled(launch, turn->filler++, launch->sampled_count))
            return turn->filler - 1;
    return -1;
}

int64_t vg_next_cluster(VgLaunch *launch, VgTurn *turn, int filler)
{
    if (launch->sampled && !launch->whole)
        return next_sampled(launch, turn, filler);
    int64_t clusters = clusters_of(launch), taken = atomic_fetch_add(&launch->next, 1);
    if (taken >= clusters)
        return -1;
    return launch->options & VG_ORDER_REVERSED ? clusters - 1 - taken : taken;
}
