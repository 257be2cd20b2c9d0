/* `cp.async`: copies that land as late as the program allows, when their thread waits for them.
 * So a missing wait, or one that waits for too few groups, reads what was there before. Copies nobody waited
 * for when the block ends are dropped. Each lane of a warp has its own groups. */
#include <stdlib.h>

#include "lanes.h"

/* One warp-wide copy that has not landed in all its lanes. */
typedef struct {
    uint64_t destination[LANES], source[LANES];
    uint32_t source_bytes[LANES]; /* the rest of `bytes` becomes zeros */
    uint32_t group[LANES];
    uint32_t pending; /* lanes still to land */
    uint32_t bytes;
} Copy;

/* One warp's copies, oldest first; `next` chains the queues of a block from `VgBlock.async`. */
typedef struct Queue {
    uint32_t group[LANES]; /* the group each lane is filling */
    uint32_t count, capacity;
    Copy *copies;
    struct Queue *next;
} Queue;

static Queue *queue_of(VgWarp *warp)
{
    if (!warp->async) {
        Queue *queue = calloc(1, sizeof *queue);
        queue->next = warp->block->async;
        warp->block->async = warp->async = queue;
    }
    return warp->async;
}

static Copy *new_copy(Queue *queue)
{
    if (queue->count == queue->capacity) {
        queue->capacity = queue->capacity ? 2 * queue->capacity : 16;
        queue->copies = realloc(queue->copies, queue->capacity * sizeof(Copy));
    }
    return &queue->copies[queue->count++];
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
    Queue *queue = queue_of(warp);
    Copy *copy = new_copy(queue);
    copy->pending = active;
    copy->bytes = (uint32_t)bytes;
    EACH_LANE(lane) {
        copy->destination[lane] = destination[lane];
        copy->source[lane] = source[lane];
        copy->source_bytes[lane] = source_bytes[lane];
        copy->group[lane] = queue->group[lane];
    }
    EACH_ACTIVE(lane, check ? active : 0)
        if (source_bytes[lane] < (uint32_t)bytes)
            check_short_source(warp, lane, source[lane], source_bytes[lane]);
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

static void land(Copy *copy, uint32_t lanes)
{
    EACH_ACTIVE(lane, lanes) land_lane(copy, lane);
    copy->pending &= ~lanes;
}

static void forget_landed(Queue *queue)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->copies[i].pending) {
            if (kept != i)
                queue->copies[kept] = queue->copies[i];
            kept++;
        }
    queue->count = kept;
}

void vg_cp_async_commit(VgWarp *warp, uint32_t active)
{
    Queue *queue = queue_of(warp);
    EACH_LANE(lane) queue->group[lane] += active >> lane & 1;
}

/* Lands all but each active lane's `newest` last committed groups. */
void vg_cp_async_wait_group(VgWarp *warp, uint32_t active, int newest)
{
    Queue *queue = queue_of(warp);
    for (uint32_t i = 0; i < queue->count; i++) {
        Copy *copy = &queue->copies[i];
        uint32_t due = 0;
        EACH_LANE(lane) due |= (uint32_t)(queue->group[lane] - copy->group[lane] > (uint32_t)newest) << lane;
        land(copy, due & active & copy->pending);
    }
    forget_landed(queue);
}

/* Lands everything the active lanes issued, committed or not. */
void vg_cp_async_wait_all(VgWarp *warp, uint32_t active)
{
    Queue *queue = queue_of(warp);
    for (uint32_t i = 0; i < queue->count; i++)
        land(&queue->copies[i], active & queue->copies[i].pending);
    forget_landed(queue);
}

void vg_async_end(VgBlock *block)
{
    Queue *queue = block->async;
    while (queue) {
        Queue *next = queue->next;
        free(queue->copies);
        free(queue);
        queue = next;
    }
    block->async = 0;
}
