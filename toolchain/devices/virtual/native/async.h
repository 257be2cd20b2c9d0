/* What a warp has in flight: copies that have not landed, and arrivals at barriers that follow them. */
#ifndef VGPU_ASYNC_H
#define VGPU_ASYNC_H

#include "lanes.h"
#include "tensor_map.h"

/* One warp-wide `cp.async` that has not landed in all its lanes. */
typedef struct {
    uint64_t destination[LANES], source[LANES];
    uint32_t source_bytes[LANES]; /* the rest of `bytes` becomes zeros */
    uint32_t group[LANES];
    uint32_t pending; /* lanes still to land */
    uint32_t bytes;
    uint64_t number; /* counted since the queue began */
} Copy;

/* `cp.async.mbarrier.arrive`: one lane's arrival, due when its copies before `number` have landed. */
typedef struct {
    uint64_t barrier, number;
    uint32_t lane;
} Arrival;

/* The part of a tensor that a copy moves. */
typedef struct {
    VgTensorMap map;
    int32_t first[TENSOR_RANKS]; /* coordinates */
    uint16_t offset[TENSOR_RANKS]; /* im2col: added to the coordinates of every pixel */
} Box;

/* One `cp.async.bulk`; it completes on `barrier`, or, where that is 0, in its lane's bulk group. */
typedef struct {
    uint64_t destination, source, barrier; /* of a tensor, only the side in shared memory */
    uint32_t bytes, lane, group;
    int32_t reduction, line; /* reduction: -1 where it copies */
    Box *box;                /* NULL where it is no part of a tensor; owned */
    int32_t site;            /* of its access to shared memory, where it completes on a barrier */
    int64_t issued;          /* warp instructions that its block had issued, where that is counted */
} Bulk;

/* One warp's queue, oldest first; `next` chains the queues of a block from `VgBlock.async`. */
typedef struct Queue {
    uint32_t group[LANES], bulk_group[LANES]; /* the groups each lane is filling */
    uint64_t number;                          /* of the next copy */
    Copy *copies;
    Arrival *arrivals;
    Bulk *bulks;
    uint32_t copy_count, copy_capacity, arrival_count, arrival_capacity, bulk_count, bulk_capacity;
    struct Queue *next;
    VgWarp *warp;
} Queue;

/* The warp's queue, made on first use. */
Queue *vg_async_queue(VgWarp *warp);

/* Makes room for one element of `size` bytes more. */
void vg_async_grow(void **elements, uint32_t count, uint32_t *capacity, size_t size);

/* Lands what lane `lane` copied before `number`. */
void vg_async_land_before(Queue *queue, uint32_t lane, uint64_t number);

/* Completes what waits to complete on a barrier: called when somebody waits for it in vain. */
void vg_async_settle(VgWarp *warp, uint64_t barrier);

/* Changes of a barrier's state, in mbarrier.c. */
void vg_mbarrier_note_arrivals(const VgWarp *warp, uint32_t active, const uint64_t *barriers);
void vg_mbarrier_one_arrival(VgWarp *warp, uint32_t lane, uint64_t barrier);
void vg_mbarrier_more_expected(uint64_t barrier);
void vg_mbarrier_bytes_arrived(uint64_t barrier, uint32_t bytes);

/* Queues a bulk copy of a warp, in bulk.c. */
void vg_bulk_enqueue(VgWarp *warp, Bulk bulk);

/* Lands a bulk copy and forgets its box. */
void vg_bulk_land(VgWarp *warp, Bulk *bulk);

/* Moves the part of a tensor, in tensor_copy.c. */
void vg_box_land(VgWarp *warp, const Bulk *bulk);

#endif
