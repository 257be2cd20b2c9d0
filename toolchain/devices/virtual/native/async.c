/* `cp.async`: copies that land as late as the program allows, when their thread waits for them.
 * So a missing wait, or one that waits for too few groups, reads what was there before. Copies nobody waited
 * for when the block ends are dropped. Each lane of a warp has its own groups. */
#include "async.h"

#include <stdlib.h>

#include "bulk.h"
#include "profile.h"
#include "runtime.h"
#include "tally.h"

Queue *vg_async_queue(VgWarp *warp)
{
    if (!warp->async) {
        Queue *queue = calloc(1, sizeof *queue);
        queue->next = warp->block->async;
        queue->warp = warp;
        warp->block->async = warp->async = queue;
    }
    return warp->async;
}

void vg_async_grow(void **elements, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return;
    *capacity = *capacity ? 2 * *capacity : 16;
    *elements = realloc(*elements, *capacity * size);
}

/* A copy of fewer bytes than a lane's access was checked for: look the source up here. */
static void check_short_source(VgWarp *warp, uint32_t lane, uint64_t source, uint32_t bytes)
{
    const VgAllocation *home = vg_nearest(source);
    if (bytes && (!home || source < home->base || source + bytes > home->base + home->bytes))
        vg_fault(warp, 1u << lane, VG_FAULT_OUT_OF_BOUNDS, 0, (int32_t)bytes);
}

void vg_cp_async(VgWarp *warp, uint32_t active, const uint64_t *destination, const uint64_t *source,
                 const uint32_t *source_bytes, int bytes, int check)
{
    Queue *queue = vg_async_queue(warp);
    vg_async_grow((void **)&queue->copies, queue->copy_count, &queue->copy_capacity, sizeof(Copy));
    Copy *copy = &queue->copies[queue->copy_count++];
    copy->pending = active;
    copy->bytes = (uint32_t)bytes;
    copy->number = queue->number++;
    memcpy(copy->destination, destination, sizeof copy->destination);
    memcpy(copy->source, source, sizeof copy->source);
    memcpy(copy->source_bytes, source_bytes, sizeof copy->source_bytes);
    memcpy(copy->group, queue->group, sizeof copy->group);
    EACH_ACTIVE(lane, check ? active : 0)
        if (source_bytes[lane] < (uint32_t)bytes)
            check_short_source(warp, lane, source[lane], source_bytes[lane]);
}

/* The active lanes but those whose copy is the same as that of a lane before. */
void vg_distinct_copies(VgWarp *warp, uint32_t active, uint32_t *distinct, const uint64_t *destination,
                        const uint64_t *source)
{
    (void)warp;
    *distinct = 0;
    EACH_ACTIVE(lane, active) {
        int repeats = 0;
        EACH_ACTIVE(before, *distinct)
            repeats |= destination[before] == destination[lane] && source[before] == source[lane];
        *distinct |= (uint32_t)!repeats << lane;
    }
}

static void land_lane(const Copy *copy, uint32_t lane)
{
    uint32_t given = copy->source_bytes[lane] < copy->bytes ? copy->source_bytes[lane] : copy->bytes;
    uint8_t *destination = (uint8_t *)(uintptr_t)copy->destination[lane];
    if (given == 16) {
        memcpy(destination, (const void *)(uintptr_t)copy->source[lane], 16);
        return;
    }
    memcpy(destination, (const void *)(uintptr_t)copy->source[lane], given);
    memset(destination + given, 0, copy->bytes - given);
}

static void land(const Queue *queue, Copy *copy, uint32_t lanes)
{
    EACH_ACTIVE(lane, lanes) {
        land_lane(copy, lane);
        vg_watch_landed(queue->warp, lane, copy->destination[lane], copy->bytes);
    }
    copy->pending &= ~lanes;
}

static void forget_landed(Queue *queue)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->copy_count; i++)
        if (queue->copies[i].pending) {
            if (kept != i)
                queue->copies[kept] = queue->copies[i];
            kept++;
        }
    queue->copy_count = kept;
}

void vg_cp_async_commit(VgWarp *warp, uint32_t active)
{
    Queue *queue = vg_async_queue(warp);
    EACH_LANE(lane) queue->group[lane] += active >> lane & 1;
}

/* Lands all but each active lane's `newest` last committed groups. */
void vg_cp_async_wait_group(VgWarp *warp, uint32_t active, int newest)
{
    Queue *queue = vg_async_queue(warp);
    for (uint32_t i = 0; i < queue->copy_count; i++) {
        Copy *copy = &queue->copies[i];
        uint32_t due = 0;
        EACH_LANE(lane) due |= (uint32_t)(queue->group[lane] - copy->group[lane] > (uint32_t)newest) << lane;
        land(queue, copy, due & active & copy->pending);
    }
    forget_landed(queue);
}

/* Lands everything the active lanes issued, committed or not. */
void vg_cp_async_wait_all(VgWarp *warp, uint32_t active)
{
    Queue *queue = vg_async_queue(warp);
    for (uint32_t i = 0; i < queue->copy_count; i++)
        land(queue, &queue->copies[i], active & queue->copies[i].pending);
    forget_landed(queue);
}

void vg_async_land_before(Queue *queue, uint32_t lane, uint64_t number)
{
    for (uint32_t i = 0; i < queue->copy_count && queue->copies[i].number < number; i++)
        land(queue, &queue->copies[i], queue->copies[i].pending & 1u << lane);
    forget_landed(queue);
}

/* --- arrivals at barriers -------------------------------------------------------------------------------------- */

/* Unless `noinc`, the arrival also raises the number that the barrier expects. */
void vg_cp_async_mbarrier_arrive(VgWarp *warp, uint32_t active, const uint64_t *barriers, int noinc)
{
    Queue *queue = vg_async_queue(warp);
    vg_mbarrier_note_arrivals(warp, active, barriers);
    EACH_ACTIVE(lane, active) {
        vg_async_grow((void **)&queue->arrivals, queue->arrival_count, &queue->arrival_capacity, sizeof(Arrival));
        queue->arrivals[queue->arrival_count++] = (Arrival){barriers[lane], queue->number, lane};
        if (!noinc)
            vg_mbarrier_more_expected(barriers[lane]);
    }
}

static void settle_arrivals(VgWarp *warp, Queue *queue, uint64_t barrier)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->arrival_count; i++) {
        Arrival arrival = queue->arrivals[i];
        if (arrival.barrier != barrier) {
            queue->arrivals[kept++] = arrival;
            continue;
        }
        vg_async_land_before(queue, arrival.lane, arrival.number);
        vg_mbarrier_one_arrival(warp, arrival.lane, barrier);
        vg_watch_exchange(queue->warp);
    }
    queue->arrival_count = kept;
}

/* Sites whose copies one wait has found under way. */
typedef struct {
    int32_t sites[8];
    int count;
} Met;

static int is_new(Met *met, int32_t site)
{
    for (int i = 0; i < met->count; i++)
        if (met->sites[i] == site)
            return 0;
    if (met->count < (int)(sizeof met->sites / sizeof *met->sites))
        met->sites[met->count++] = site;
    return 1;
}

/* Counts that a copy was waited for, and what its block has issued meanwhile: as often as it has requests. */
static void count_wait(const VgBlock *block, const Bulk *bulk, Met *met)
{
    if (block->number < 0 || !block->profile)
        return;
    int64_t *counters = vg_counters_of(block->launch, bulk->site);
    int64_t requests = (bulk->bytes + UNIT * LANES - 1) / (UNIT * LANES);
    counters[VG_SITE_LINES] += requests * (vg_tally_issued(block) - bulk->issued);
    counters[VG_SITE_MISSED_SECTORS] += is_new(met, bulk->site);
}

static void settle_bulks(Queue *queue, uint64_t barrier, Met *met)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->bulk_count; i++) {
        Bulk bulk = queue->bulks[i];
        if (bulk.barrier != barrier) {
            queue->bulks[kept++] = bulk;
            continue;
        }
        count_wait(queue->warp->block, &bulk, met);
        vg_bulk_land(queue->warp, &bulk);
        vg_watch_landed(queue->warp, bulk.lane, bulk.destination, bulk.bytes);
        vg_watch_exchange(queue->warp);
        vg_mbarrier_bytes_arrived(barrier, bulk.bytes);
    }
    queue->bulk_count = kept;
}

void vg_async_settle(VgWarp *warp, uint64_t barrier)
{
    const VgCluster *cluster = warp->block->cluster;
    Met met = {.count = 0};
    for (int rank = 0; rank < cluster->size; rank++)
        for (Queue *queue = cluster->blocks[rank]->async; queue; queue = queue->next) {
            settle_arrivals(warp, queue, barrier);
            settle_bulks(queue, barrier, &met);
        }
}

/* Bulk copies to global memory complete by themselves; what was to land in shared memory is gone with it. */
void vg_async_end(VgBlock *block)
{
    Queue *queue = block->async;
    while (queue) {
        Queue *next = queue->next;
        for (uint32_t i = 0; i < queue->bulk_count; i++) {
            if (queue->bulks[i].barrier)
                free(queue->bulks[i].box);
            else
                vg_bulk_land(queue->warp, &queue->bulks[i]);
        }
        free(queue->copies);
        free(queue->arrivals);
        free(queue->bulks);
        free(queue);
        queue = next;
    }
    block->async = 0;
}
