/* Runs the blocks of a launch: each worker keeps one block resident, and further ones while all warps of those
 * it has only poll for something that another block must do. */
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { RUNNABLE, BLOCKED, DONE };

#define HEAD_BYTES offsetof(VgWarp, registers)
#define SHARED_ALIGNMENT 1024
#define POISON_BYTE 0xff
#define POLLING_ROUNDS 4
#define QUIET_ROUNDS 256
#define MOST_THREADS 64
#define SHORT_SLICES 256 /* of a sampled launch, after which the time is looked at */

_Static_assert(offsetof(VgWarp, slice) == 8 && offsetof(VgWarp, local) == 32, "frame.py");
_Static_assert(offsetof(VgWarp, pc) == 64 && offsetof(VgWarp, tid) == 192 && HEAD_BYTES == 576, "frame.py");
_Static_assert(offsetof(VgBlock, ctaid) == 24 && offsetof(VgBlock, sm) == 60, "frame.py");
_Static_assert(offsetof(VgBlock, counters) == 64 && offsetof(VgBlock, workspace) == 88, "frame.py");

typedef struct {
    VgLaunch *launch;
    VgRange *ranges;
    uint8_t *heads; /* what each warp's context begins with */
    int64_t *scratch;
    VgBlock **resident;
    int count, capacity;
    VgBlock *spare;
    int64_t sampled_next, filler_next, sampled_left;
    int64_t idle, progress; /* rounds without progress of this worker; of the launch when they began */
    double idle_since;
} Worker;

static int64_t threads_of(const VgLaunch *launch)
{
    return (int64_t)launch->block[0] * launch->block[1] * launch->block[2];
}

static int64_t grid_of(const VgLaunch *launch)
{
    return (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

static void *aligned(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
}

static uint8_t *make_heads(const VgLaunch *launch, int warps)
{
    int64_t threads = threads_of(launch);
    uint8_t *heads = aligned(64, HEAD_BYTES * (size_t)warps);
    memset(heads, 0, HEAD_BYTES * (size_t)warps);
    for (int64_t thread = 0; thread < 32 * (int64_t)warps; thread++) {
        VgWarp *warp = (VgWarp *)(heads + HEAD_BYTES * (size_t)(thread / 32));
        int lane = (int)(thread % 32);
        warp->index = (uint32_t)(thread / 32);
        warp->pc[lane] = thread < threads ? 0 : VG_EXITED;
        warp->tid[0][lane] = (uint32_t)(thread % launch->block[0]);
        warp->tid[1][lane] = (uint32_t)(thread / launch->block[0] % launch->block[1]);
        warp->tid[2][lane] = (uint32_t)(thread / launch->block[0] / launch->block[1]);
    }
    return heads;
}

static VgBlock *new_block(Worker *worker)
{
    VgLaunch *launch = worker->launch;
    VgBlock *block = aligned(64, sizeof *block);
    memset(block, 0, sizeof *block);
    block->launch = launch;
    block->warps = (int)((threads_of(launch) + 31) / 32);
    block->parameters = launch->parameters;
    block->parameter_bytes = (int32_t)launch->parameter_bytes;
    block->variables = launch->variables;
    block->workspace = launch->workspace;
    block->ranges = worker->ranges;
    block->shared_bytes = (uint32_t)launch->shared_bytes;
    block->local_bytes = (uint32_t)launch->local_bytes;
    for (int axis = 0; axis < 3; axis++) {
        block->nctaid[axis] = launch->grid[axis];
        block->ntid[axis] = launch->block[axis];
    }
    size_t warps = (size_t)block->warps;
    block->contexts = aligned(128, warps * (size_t)launch->context_bytes);
    block->shared = aligned(SHARED_ALIGNMENT, (size_t)launch->shared_bytes);
    block->local = aligned(128, warps * 32 * (size_t)launch->local_bytes);
    block->state = calloc(warps, 1);
    block->result = calloc(warps, sizeof *block->result);
    return block;
}

static void free_block(VgBlock *block)
{
    if (!block)
        return;
    free(block->contexts);
    free(block->shared);
    free(block->local);
    free(block->state);
    free(block->result);
    free(block);
}

static void begin_contexts(Worker *worker, VgBlock *block)
{
    size_t context = (size_t)worker->launch->context_bytes, local = 32 * (size_t)worker->launch->local_bytes;
    int poison = worker->launch->options & VG_POISON ? POISON_BYTE : 0;
    for (int w = 0; w < block->warps; w++) {
        VgWarp *warp = vg_warp_of(block, w);
        memcpy(warp, worker->heads + HEAD_BYTES * (size_t)w, HEAD_BYTES);
        memset(warp->registers, poison, context - HEAD_BYTES);
        warp->local = block->local + local * (size_t)w;
        warp->block = block;
    }
    memset(block->shared, poison, block->shared_bytes);
    memset(block->local, poison, local * (size_t)block->warps);
}

/* `number`: which sampled block it is; -1 where it is not counted. */
static void begin_block(Worker *worker, VgBlock *block, int64_t index, int64_t number)
{
    const VgLaunch *launch = worker->launch;
    block->index = index;
    block->living = block->warps;
    block->ctaid[0] = (int32_t)(index % launch->grid[0]);
    block->ctaid[1] = (int32_t)(index / launch->grid[0] % launch->grid[1]);
    block->ctaid[2] = (int32_t)(index / launch->grid[0] / launch->grid[1]);
    block->sm = (int32_t)(index % 132);
    block->counters = number < 0 ? worker->scratch : launch->counters;
    memset(block->barriers, 0, sizeof block->barriers);
    memset(block->state, RUNNABLE, (size_t)block->warps);
    begin_contexts(worker, block);
    block->async = NULL;
    block->profile = number < 0 ? NULL : vg_profile_new(block, number);
    if (vg_async_begin)
        vg_async_begin(block);
}

static void end_block(Worker *worker, VgBlock *block)
{
    if (vg_async_end)
        vg_async_end(block);
    if (block->profile) {
        vg_profile_end(block->profile, worker->launch);
        worker->sampled_left--;
    }
    block->profile = NULL;
}

static int is_sampled(const VgLaunch *launch, int64_t index)
{
    for (int64_t i = 0; i < launch->sampled_count; i++)
        if (launch->sampled[i] == index)
            return 1;
    return 0;
}

/* The next block to run: its linear index, or -1. Uncounted ones come after all sampled ones, if `filler`. */
static int64_t next_block(Worker *worker, int filler, int64_t *number)
{
    VgLaunch *launch = worker->launch;
    int64_t blocks = grid_of(launch);
    *number = -1;
    if (launch->sampled) {
        if (worker->sampled_next < launch->sampled_count)
            return launch->sampled[*number = worker->sampled_next++];
        while (filler && worker->filler_next < blocks)
            if (!is_sampled(launch, worker->filler_next++))
                return worker->filler_next - 1;
        return -1;
    }
    int64_t taken = atomic_fetch_add(&launch->next, 1);
    if (taken >= blocks)
        return -1;
    return launch->options & VG_ORDER_REVERSED ? blocks - 1 - taken : taken;
}

static int add_block(Worker *worker, int filler)
{
    int64_t number, index = next_block(worker, filler, &number);
    if (index < 0)
        return 0;
    if (worker->count == worker->capacity) {
        worker->capacity = worker->capacity ? 2 * worker->capacity : 16;
        worker->resident = realloc(worker->resident, (size_t)worker->capacity * sizeof *worker->resident);
    }
    VgBlock *block = worker->spare ? worker->spare : new_block(worker);
    worker->spare = NULL;
    worker->resident[worker->count++] = block;
    begin_block(worker, block, index, number);
    return 1;
}

static void remove_block(Worker *worker, int place)
{
    VgBlock *block = worker->resident[place];
    end_block(worker, block);
    memmove(worker->resident + place, worker->resident + place + 1,
            (size_t)(--worker->count - place) * sizeof *worker->resident);
    free_block(worker->spare);
    worker->spare = block;
}

static void check_time(VgBlock *block, const VgWarp *warp, int kind, double limit)
{
    if (vg_now() < limit)
        return;
    VgFault fault = {.kind = kind, .site = -1, .block = block->index, .warp = (int32_t)warp->index};
    for (fault.lane = 0; fault.lane < 31 && warp->pc[fault.lane] == VG_EXITED; fault.lane++)
        ;
    fault.pc = warp->pc[fault.lane];
    vg_end_launch(block->launch, &fault);
}

/* Runs one warp for a time slice; whether it got to a barrier or its end. */
static int run_warp(VgBlock *block, int index)
{
    VgLaunch *launch = block->launch;
    VgWarp *warp = vg_warp_of(block, index);
    warp->slice = (uint32_t)launch->slice;
    warp->spun = 0;
    uint32_t result = block->result[index] = launch->function(warp, block);
    if (result == VG_YIELDED) {
        static __thread unsigned slices;
        if (!launch->sampled || slices++ % SHORT_SLICES == 0)
            check_time(block, warp, VG_FAULT_TIMED_OUT, launch->deadline);
        return 0;
    }
    block->state[index] = result == VG_EXITED ? DONE : BLOCKED;
    block->living -= result == VG_EXITED;
    return 1;
}

/* Runs every warp of a block that can run, once; whether that was progress. */
static int run_round(VgBlock *block)
{
    int progress = 0, runnable = 0;
    int reversed = block->launch->options & VG_ORDER_REVERSED;
    for (int i = 0; i < block->warps; i++) {
        int index = reversed ? block->warps - 1 - i : i;
        if (block->state[index] != RUNNABLE)
            continue;
        progress |= run_warp(block, index);
        runnable += block->state[index] == RUNNABLE;
    }
    if (block->living > runnable && (!runnable || !progress)) {
        int released = vg_release_barriers(block);
        if (!released && !runnable)
            vg_fault_stuck(block);
        progress |= released;
    }
    return progress;
}

/* A warp of the worker's blocks whose last time slice ended in polling. */
static VgWarp *polling_warp(const Worker *worker)
{
    for (int i = 0; i < worker->count; i++)
        for (int w = 0; w < worker->resident[i]->warps; w++) {
            VgWarp *warp = vg_warp_of(worker->resident[i], w);
            if (worker->resident[i]->state[w] == RUNNABLE && warp->spun)
                return warp;
        }
    return NULL;
}

/* No warp got anywhere for a round: bring in another block, or find that they poll in vain. */
static void idle(Worker *worker)
{
    VgLaunch *launch = worker->launch;
    int64_t progress = atomic_load(&launch->progress);
    if (worker->idle++ == 0 || progress != worker->progress)
        worker->idle_since = vg_now();
    worker->progress = progress;
    VgWarp *polling = polling_warp(worker);
    if (worker->idle % (polling ? POLLING_ROUNDS : QUIET_ROUNDS) == 0 && add_block(worker, 1))
        worker->idle = 0;
    else if (polling)
        check_time(polling->block, polling, VG_FAULT_DEADLOCK, worker->idle_since + launch->spin_seconds);
}

static void run_blocks(Worker *worker)
{
    VgLaunch *launch = worker->launch;
    while (!atomic_load(&launch->stopped)) {
        if (!worker->count && !add_block(worker, 0))
            return;
        int progress = 0;
        for (int i = 0; i < worker->count; i++) {
            progress |= run_round(worker->resident[i]);
            if (!worker->resident[i]->living)
                remove_block(worker, i--);
        }
        if (launch->sampled && !worker->sampled_left)
            return;
        if (progress) {
            worker->idle = 0;
            atomic_fetch_add_explicit(&launch->progress, 1, memory_order_relaxed);
        } else if (worker->count)
            idle(worker);
    }
}

static void *work(void *argument)
{
    VgLaunch *launch = argument;
    Worker worker = {.launch = launch, .sampled_left = launch->sampled_count};
    jmp_buf escape;
    worker.ranges = calloc((size_t)launch->site_count + 1, sizeof *worker.ranges);
    worker.scratch = launch->counters ? calloc((size_t)launch->counter_count, sizeof *worker.scratch) : NULL;
    worker.heads = make_heads(launch, (int)((threads_of(launch) + 31) / 32));
    vg_escape = &escape;
    Worker *volatile kept = &worker;
    if (!setjmp(escape))
        run_blocks(kept);
    for (int i = 0; i < kept->count; i++) {
        if (vg_async_end)
            vg_async_end(kept->resident[i]);
        if (kept->resident[i]->profile)
            vg_profile_end(kept->resident[i]->profile, NULL);
        free_block(kept->resident[i]);
    }
    free_block(kept->spare);
    free(kept->resident);
    free(kept->ranges);
    free(kept->scratch);
    free(kept->heads);
    return NULL;
}

/* Runs a launch to its end; its fault's kind, 0 for none. */
int vg_launch(VgLaunch *launch)
{
    pthread_t threads[MOST_THREADS];
    int count = launch->threads < MOST_THREADS ? launch->threads : MOST_THREADS;
    atomic_store(&launch->next, 0);
    atomic_store(&launch->stopped, 0);
    atomic_store(&launch->progress, 0);
    for (int i = 1; i < count; i++)
        pthread_create(&threads[i], NULL, work, launch);
    work(launch);
    for (int i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    return launch->fault.kind;
}
