/* Clusters: blocks that run together, see each other's shared memory, and wait for each other.
 * An address of the cluster's shared memory is a block's own offset, or, as `mapa` makes it, has the rank of the block
 * it belongs to, plus one, from bit 24 on. */
#include "clusters.h"

#include "bulk.h"
#include "grid.h"
#include "paths.h"

enum { RANK_AT = 24, OFFSET_MASK = (1 << RANK_AT) - 1 };

void vg_cluster_enter(VgCluster *cluster, VgBlock *block)
{
    const VgLaunch *launch = block->launch;
    int rank = cluster->size++;
    cluster->blocks[rank] = block;
    block->cluster = cluster;
    block->cluster_ctarank = rank;
    block->cluster_nctarank = vg_cluster_size(launch);
    block->is_explicit_cluster = block->cluster_nctarank > 1;
    for (int axis = 0; axis < 3; axis++) {
        int extent = block->cluster_nctaid[axis] = launch->cluster[axis];
        block->clusterid[axis] = block->ctaid[axis] / extent;
        block->cluster_ctaid[axis] = block->ctaid[axis] % extent;
        block->nclusterid[axis] = launch->grid[axis] / extent;
    }
    memset(block->arrived, 0, (size_t)block->warps * sizeof *block->arrived);
}

int vg_cluster_is_over(const VgCluster *cluster)
{
    int living = 0;
    for (int rank = 0; rank < cluster->size; rank++)
        living += cluster->blocks[rank]->living;
    return !living;
}

/* --- shared memory ------------------------------------------------------------------------------------------------ */

VgBlock *vg_shared_holder(const VgBlock *block, uint64_t address)
{
    const VgCluster *cluster = block->cluster;
    for (int rank = 0; rank < cluster->size; rank++) {
        VgBlock *other = cluster->blocks[rank];
        if (address - (uint64_t)(uintptr_t)other->shared < other->shared_bytes)
            return other;
    }
    return NULL;
}

const VgBlock *vg_shared_before(const VgBlock *block, uint64_t address)
{
    const VgCluster *cluster = block->cluster;
    uint64_t least = UINT64_MAX;
    for (int rank = 0; rank < cluster->size; rank++) {
        uint64_t offset = address - (uint64_t)(uintptr_t)cluster->blocks[rank]->shared;
        if (offset < least) {
            least = offset;
            block = cluster->blocks[rank];
        }
    }
    return block;
}

static VgBlock *block_of_rank(VgWarp *warp, uint32_t lane, uint32_t rank, int32_t line)
{
    const VgCluster *cluster = warp->block->cluster;
    if (rank >= (uint32_t)cluster->size)
        vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_RANK);
    return cluster->blocks[rank];
}

/* Addresses of this process for addresses of the cluster's shared memory. */
void vg_cluster_places(VgWarp *warp, uint32_t active, uint64_t *out, const uint64_t *addresses, int32_t line)
{
    EACH_ACTIVE(lane, active) {
        uint32_t rank = (uint32_t)(addresses[lane] >> RANK_AT);
        const VgBlock *block = rank ? block_of_rank(warp, lane, rank - 1, line) : warp->block;
        out[lane] = (uint64_t)(uintptr_t)block->shared + (addresses[lane] & OFFSET_MASK);
    }
}

/* `mapa` of generic addresses of the own shared memory, or of offsets in it. */
void vg_mapa(VgWarp *warp, uint32_t active, uint64_t *out, const uint64_t *addresses, const uint32_t *ranks,
             int32_t line)
{
    EACH_ACTIVE(lane, active) {
        uint64_t offset = addresses[lane] - (uint64_t)(uintptr_t)warp->block->shared;
        out[lane] = (uint64_t)(uintptr_t)block_of_rank(warp, lane, ranks[lane], line)->shared + offset;
    }
}

void vg_mapa_shared(VgWarp *warp, uint32_t active, uint64_t *out, const uint64_t *addresses, const uint32_t *ranks,
                    int32_t line)
{
    EACH_ACTIVE(lane, active) {
        block_of_rank(warp, lane, ranks[lane], line);
        out[lane] = (addresses[lane] & OFFSET_MASK) | (uint64_t)(ranks[lane] + 1) << RANK_AT;
    }
}

/* Ranks of the blocks to which generic addresses belong; those of other memory are the own one's. */
void vg_cluster_ranks(VgWarp *warp, uint32_t active, uint32_t *out, const uint64_t *addresses)
{
    EACH_ACTIVE(lane, active) {
        const VgBlock *holder = vg_shared_holder(warp->block, addresses[lane]);
        out[lane] = (uint32_t)(holder ? holder : warp->block)->cluster_ctarank;
    }
}

void vg_is_cluster_shared(VgWarp *warp, uint32_t active, uint32_t *out, const uint64_t *addresses)
{
    *out = 0;
    EACH_ACTIVE(lane, active) *out |= (uint32_t)(vg_shared_holder(warp->block, addresses[lane]) != NULL) << lane;
}

/* Generic addresses as addresses of the cluster's shared memory (`cvta.to.shared::cluster`). */
void vg_to_cluster_shared(VgWarp *warp, uint32_t active, uint64_t *out, const uint64_t *addresses)
{
    EACH_ACTIVE(lane, active) {
        const VgBlock *holder = vg_shared_holder(warp->block, addresses[lane]), *own = warp->block;
        uint64_t offset = addresses[lane] - (uint64_t)(uintptr_t)(holder ? holder : own)->shared;
        int is_own = !holder || holder == own;
        out[lane] = is_own ? offset : offset | (uint64_t)(holder->cluster_ctarank + 1) << RANK_AT;
    }
}

/* --- the barrier -------------------------------------------------------------------------------------------------- */

void vg_cluster_arrive(VgWarp *warp, uint32_t active, int32_t line)
{
    uint32_t *arrived = &warp->block->arrived[warp->index];
    if (*arrived & active)
        vg_fault(warp, *arrived & active, VG_FAULT_ILLEGAL, line, VG_ARRIVED_TWICE);
    *arrived |= active;
    if (!active)
        return;
    vg_watch_exchange(warp);
    vg_paths_arrive(warp->block, (int)warp->index, VG_CLUSTER_PATH);
}

/* Somebody is about to wait. */
void vg_cluster_wait(VgWarp *warp, uint32_t active)
{
    if (active)
        warp->block->cluster->awaited = 1;
}

/* Whether every living thread of the cluster has arrived. */
static int is_complete(const VgCluster *cluster)
{
    for (int rank = 0; rank < cluster->size; rank++) {
        const VgBlock *block = cluster->blocks[rank];
        for (int w = 0; w < block->warps; w++)
            if (vg_living_lanes(vg_warp_of(block, w)) & ~block->arrived[w])
                return 0;
    }
    return 1;
}

static int is_waiting(uint32_t pc) { return pc != VG_EXITED && pc & VG_BLOCKED && pc & VG_AT_CLUSTER; }

/* Lets lanes go on whose phase is over; whether there were any. */
static int let_go(VgBlock *block, int index)
{
    VgWarp *warp = vg_warp_of(block, index);
    int found = 0;
    EACH_ACTIVE(lane, ~block->arrived[index])
        if (is_waiting(warp->pc[lane])) {
            warp->pc[lane] &= VG_MOST_BLOCKS - 1;
            found = 1;
        }
    if (found) {
        block->state[index] = VG_RUNNABLE;
        vg_watch_exchange(warp);
        vg_paths_follow(block, index, VG_CLUSTER_PATH);
    }
    return found;
}

int vg_release_cluster(VgCluster *cluster)
{
    if (!cluster->awaited)
        return 0;
    int released = 0, complete = is_complete(cluster);
    cluster->awaited = !complete;
    for (int rank = 0; rank < cluster->size; rank++) {
        VgBlock *block = cluster->blocks[rank];
        for (int w = 0; w < block->warps; w++) {
            if (complete)
                block->arrived[w] = 0;
            released += let_go(block, w);
        }
    }
    return released;
}

static int can_run(const VgBlock *block)
{
    for (int w = 0; w < block->warps; w++)
        if (block->state[w] == VG_RUNNABLE)
            return 1;
    return 0;
}

/* Names a lane of the block in which threads wait for others of their own; they keep the cluster from going on. */
void vg_check_stuck(VgBlock *block)
{
    const VgCluster *cluster = block->cluster;
    VgBlock *waits_within = block;
    for (int rank = 0; rank < cluster->size; rank++) {
        VgBlock *other = cluster->blocks[rank];
        if (can_run(other))
            return;
        if (vg_waits_within(other))
            waits_within = other;
    }
    vg_fault_stuck(waits_within);
}
