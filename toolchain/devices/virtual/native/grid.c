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

/* --- among workers -------------------------------------------------------------------------------------------------- */

/* Whether blocks may wait for each other, which takes atomics or volatile accesses: then they begin in order. */
static int may_wait(const VgLaunch *launch)
{
    int found = 0;
    for (int32_t i = 0; i < launch->site_count && !found; i++)
        found = launch->sites[i].strong;
    return found;
}

static uint64_t share(uint64_t first, uint64_t end) { return first | end << 32; }
static uint64_t first_of(uint64_t share) { return (uint32_t)share; }
static uint64_t left_in(uint64_t share) { return (share >> 32) - (uint32_t)share; }

void vg_deal(VgLaunch *launch, VgDeal *deal, int workers)
{
    uint64_t clusters = (uint64_t)clusters_of(launch);
    atomic_store(&launch->next, 0);
    launch->deal = NULL;
    if (workers == 1 || clusters > UINT32_MAX || may_wait(launch))
        return;
    deal->workers = workers;
    for (int i = 0; i < workers; i++)
        atomic_store(&deal->of[i].share, share(clusters * i / workers, clusters * (i + 1) / workers));
    launch->deal = deal;
}

/* Half of what another worker has most of, from its end. */
static uint64_t take_over(VgDeal *deal)
{
    for (;;) {
        uint64_t most = 0;
        int holder = 0;
        for (int i = 0; i < deal->workers; i++) {
            uint64_t found = atomic_load(&deal->of[i].share);
            holder = left_in(found) > left_in(most) ? i : holder;
            most = left_in(found) > left_in(most) ? found : most;
        }
        uint64_t end = first_of(most) + left_in(most), middle = end - (left_in(most) + 1) / 2;
        if (!left_in(most) || atomic_compare_exchange_strong(&deal->of[holder].share, &most, share(first_of(most), middle)))
            return share(middle, end);
    }
}

/* The next of a worker's own share, or of what it takes over; -1 where nothing is left. */
static int64_t next_dealt(VgLaunch *launch, VgTurn *turn)
{
    if (!turn->seat)
        turn->seat = 1 + (int)atomic_fetch_add(&launch->next, 1);
    _Atomic(uint64_t) *own = &launch->deal->of[turn->seat - 1].share;
    uint64_t found = atomic_load(own);
    while (left_in(found))
        if (atomic_compare_exchange_weak(own, &found, found + 1))
            return (int64_t)first_of(found);
    found = take_over(launch->deal);
    if (!left_in(found))
        return -1;
    atomic_store(own, found + 1);
    return (int64_t)first_of(found);
}

int64_t vg_next_cluster(VgLaunch *launch, VgTurn *turn, int filler)
{
    if (launch->sampled && !launch->whole)
        return next_sampled(launch, turn, filler);
    int64_t clusters = clusters_of(launch);
    int64_t taken = launch->deal ? next_dealt(launch, turn) : atomic_fetch_add(&launch->next, 1);
    if (taken < 0 || taken >= clusters)
        return -1;
    return launch->options & VG_ORDER_REVERSED ? clusters - 1 - taken : taken;
}
