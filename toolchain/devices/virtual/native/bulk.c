/* `cp.async.bulk` without tensor maps: a thread copies a row of bytes between global and shared memory.
 * Into shared memory it completes on an mbarrier, out of it in a bulk group; both land as late as allowed. */
#include "async.h"

#include "runtime.h"

void vg_bulk_land(const Bulk *bulk)
{
    memcpy((void *)(uintptr_t)bulk->destination, (const void *)(uintptr_t)bulk->source, bulk->bytes);
    vg_note_written((const void *)(uintptr_t)bulk->destination, bulk->bytes);
}

static int inside(uint64_t place, uint32_t bytes, uint64_t base, uint64_t size)
{
    return place >= base && place + bytes <= base + size;
}

static void check_bulk(VgWarp *warp, const Bulk *bulk, uint64_t shared, uint64_t global, int writes)
{
    const VgBlock *block = warp->block;
    const VgAllocation *home = vg_nearest(global);
    uint32_t lane = 1u << bulk->lane;
    if ((bulk->bytes | global | shared) % 16)
        vg_fault(warp, lane, VG_FAULT_MISALIGNED, 0, (int32_t)bulk->bytes);
    if (!inside(shared, bulk->bytes, (uint64_t)(uintptr_t)block->shared, block->shared_bytes))
        vg_fault(warp, lane, VG_FAULT_OUT_OF_BOUNDS, 0, (int32_t)bulk->bytes);
    if (!home || !inside(global, bulk->bytes, home->base, home->bytes))
        vg_fault(warp, lane, VG_FAULT_OUT_OF_BOUNDS, 0, (int32_t)bulk->bytes);
    if (writes && !home->writable)
        vg_fault(warp, lane, VG_FAULT_INPUT_WRITTEN, 0, (int32_t)bulk->bytes);
}

static void enqueue(VgWarp *warp, Bulk bulk)
{
    Queue *queue = vg_async_queue(warp);
    vg_async_grow((void **)&queue->bulks, queue->bulk_count, &queue->bulk_capacity, sizeof(Bulk));
    bulk.group = queue->bulk_group[bulk.lane];
    queue->bulks[queue->bulk_count++] = bulk;
}

void vg_bulk_to_shared(VgWarp *warp, uint32_t active, const uint64_t *destination, const uint64_t *source,
                       const uint32_t *bytes, const uint64_t *barriers)
{
    EACH_ACTIVE(lane, active) {
        Bulk bulk = {destination[lane], source[lane], barriers[lane], bytes[lane], lane, 0};
        check_bulk(warp, &bulk, destination[lane], source[lane], 0);
        vg_watch_issued(warp, lane, bulk.destination, bulk.bytes);
        enqueue(warp, bulk);
    }
}

void vg_bulk_to_global(VgWarp *warp, uint32_t active, const uint64_t *destination, const uint64_t *source,
                       const uint32_t *bytes)
{
    EACH_ACTIVE(lane, active) {
        Bulk bulk = {destination[lane], source[lane], 0, bytes[lane], lane, 0};
        check_bulk(warp, &bulk, source[lane], destination[lane], 1);
        enqueue(warp, bulk);
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
            vg_bulk_land(&bulk);
        else
            queue->bulks[kept++] = bulk;
    }
    queue->bulk_count = kept;
}
