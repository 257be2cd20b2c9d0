/* `cp.async.bulk` without tensor maps: a thread copies a row of bytes between global memory and shared memory, that of
 * other blocks of the cluster included, or updates by it. What completes on an mbarrier lands when somebody waits
 * there, the rest when its bulk group is waited for, as late as allowed. */
#include "async.h"

#include <stdlib.h>

#include "bulk.h"
#include "reductions.h"
#include "tally.h"

void vg_row_begin(VgWarp *warp, uint32_t lane, uint64_t address, uint64_t bytes, int32_t site)
{
    vg_check_row(warp, lane, address, bytes, site);
    vg_watch_row(warp, lane, address, bytes, site);
    vg_row_count(warp, address, bytes, site);
}

void vg_bulk_enqueue(VgWarp *warp, Bulk bulk)
{
    Queue *queue = vg_async_queue(warp);
    vg_async_grow((void **)&queue->bulks, queue->bulk_count, &queue->bulk_capacity, sizeof(Bulk));
    bulk.group = queue->bulk_group[bulk.lane];
    bulk.issued = vg_tally_issued(warp->block);
    queue->bulks[queue->bulk_count++] = bulk;
}

static void land_row(VgWarp *warp, const Bulk *bulk)
{
    void *to = (void *)(uintptr_t)bulk->destination;
    const void *from = (const void *)(uintptr_t)bulk->source;
    if (bulk->reduction < 0)
        memcpy(to, from, bulk->bytes);
    else if (!vg_reduce(warp, (uint32_t)bulk->reduction, bulk->destination, from, bulk->bytes))
        vg_fault(warp, 1u << bulk->lane, VG_FAULT_UNSUPPORTED, bulk->line, 0);
    vg_note_written(to, bulk->bytes);
}

void vg_bulk_land(VgWarp *warp, Bulk *bulk)
{
    if (bulk->box)
        vg_box_land(warp, bulk);
    else
        land_row(warp, bulk);
    free(bulk->box);
    bulk->box = NULL;
}

void vg_check_barrier(VgWarp *warp, const Bulk *bulk)
{
    if (vg_shared_holder(warp->block, bulk->destination) != vg_shared_holder(warp->block, bulk->barrier))
        vg_fault(warp, 1u << bulk->lane, VG_FAULT_ILLEGAL, bulk->line, VG_ELSEWHERE);
}

Bulk vg_bulk_of_rank(VgWarp *warp, Bulk bulk, int rank)
{
    const VgBlock *own = warp->block, *other = own->cluster->blocks[rank];
    bulk.destination += (uint64_t)(uintptr_t)other->shared - (uint64_t)(uintptr_t)own->shared;
    bulk.barrier += (uint64_t)(uintptr_t)other->shared - (uint64_t)(uintptr_t)own->shared;
    return bulk;
}

uint32_t vg_check_ranks(VgWarp *warp, uint32_t lane, uint32_t ranks, int32_t line)
{
    if (ranks >> warp->block->cluster->size)
        vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_RANK);
    return ranks;
}

/* A row for one block, or for each of those that `ranks` has. */
static void send(VgWarp *warp, Bulk bulk, const uint32_t *ranks, int32_t site)
{
    uint32_t left = ranks ? vg_check_ranks(warp, bulk.lane, ranks[bulk.lane], bulk.line) : 1;
    for (; left; left &= left - 1) {
        Bulk one = ranks ? vg_bulk_of_rank(warp, bulk, __builtin_ctz(left)) : bulk;
        if (one.barrier)
            vg_check_barrier(warp, &one);
        vg_row_begin(warp, one.lane, one.destination, one.bytes, site);
        one.site = site;
        vg_bulk_enqueue(warp, one);
    }
}

/* `barriers`: NULL for a bulk group. `ranks`: NULL for one destination. `reduction`: -1 to copy. */
void vg_bulk_copy(VgWarp *warp, uint32_t active, const uint64_t *destinations, const uint64_t *sources,
                  const uint32_t *bytes, const uint64_t *barriers, const uint32_t *ranks, int32_t reduction,
                  int32_t from_site, int32_t to_site)
{
    int32_t line = warp->block->launch->sites[from_site].line;
    EACH_ACTIVE(lane, active) {
        Bulk bulk = {destinations[lane], sources[lane], barriers ? barriers[lane] : 0, bytes[lane], lane, 0,
                     reduction, line, NULL, 0, 0};
        if (bulk.bytes % UNIT)
            vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, line, VG_ODD_SIZE);
        vg_row_begin(warp, lane, bulk.source, bulk.bytes, from_site);
        send(warp, bulk, ranks, to_site);
    }
}

void vg_bulk_commit(VgWarp *warp, uint32_t active)
{
    Queue *queue = vg_async_queue(warp);
    EACH_LANE(lane) queue->bulk_group[lane] += active >> lane & 1;
}

/* Lands all but each active lane's `newest` last committed bulk groups. */
void vg_bulk_wait_group(VgWarp *warp, uint32_t active, int newest)
{
    Queue *queue = vg_async_queue(warp);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->bulk_count; i++) {
        Bulk bulk = queue->bulks[i];
        int due = !bulk.barrier && queue->bulk_group[bulk.lane] - bulk.group > (uint32_t)newest;
        if (due && active >> bulk.lane & 1)
            vg_bulk_land(warp, &bulk);
        else
            queue->bulks[kept++] = bulk;
    }
    queue->bulk_count = kept;
}
