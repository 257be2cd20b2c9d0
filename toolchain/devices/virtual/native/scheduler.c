/* Runs the blocks of a launch: each worker keeps one block resident, and further ones while all warps of
 * those it has only poll for something that another block must do. */
#include "stillness.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define POLLING_ROUNDS 4
#define QUIET_ROUNDS 256
#define MOST_THREADS 64
#define MOST_RESIDENT 256 /* blocks that are brought in where nothing changes */
#define ROUNDS_A_LOOK 1024 /* of blocks that end soon, after which the time is looked at */
#define SHORT_SLICES 256 /* of a sampled launch, or rounds, after which the time is looked at */

typedef struct {
    VgLaunch *launch;
    VgHome home;
    VgBlock **resident;
    int count, capacity;
    VgBlock *spare;
    int64_t sampled_next, filler_next, sampled_left;
    int64_t idle, progress; /* rounds without progress of this worker; of the launch when they began */
    double idle_since;
    VgStillness stillness;
    int is_counted; /* among those whose blocks change */
} Worker;

static int64_t grid_of(const VgLaunch *launch)
{
    return (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
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
    VgBlock *block = worker->spare ? worker->spare : vg_block_new(&worker->home);
    worker->spare = NULL;
    worker->resident[worker->count++] = block;
    vg_block_begin(&worker->home, block, index, number);
    return 1;
}

static void remove_block(Worker *worker, int place)
{
    VgBlock *block = worker->resident[place];
    worker->sampled_left -= block->profile != NULL;
    vg_block_end(block, worker->launch);
    memmove(worker->resident + place, worker->resident + place + 1,
            (size_t)(--worker->count - place) * sizeof *worker->resident);
    vg_block_free(worker->spare);
    worker->spare = block;
}

static void end_in_vain(const VgWarp *warp, int kind, int detail)
{
    VgFault fault = {.kind = kind, .site = -1, .block = warp->block->index, .warp = (int32_t)warp->index};
    for (fault.lane = 0; fault.lane < 31 && warp->pc[fault.lane] == VG_EXITED; fault.lane++)
        ;
    fault.pc = warp->pc[fault.lane];
    fault.detail = detail;
    vg_end_launch(warp->block->launch, &fault);
}

static void check_time(const VgWarp *warp, int kind, double limit)
{
    if (vg_now() >= limit)
        end_in_vain(warp, kind, 0);
}

/* Runs one warp for a time slice; whether it got to a barrier or its end. */
static int run_warp(VgBlock *block, int index)
{
    VgLaunch *launch = block->launch;
    VgWarp *warp = vg_warp_of(block, index);
    warp->slice = (uint32_t)launch->slice;
    warp->spun = 0;
    uint32_t result = block->result[index] = (block->watch ? launch->watched : launch->function)(warp, block);
    if (result == VG_YIELDED) {
        static __thread unsigned slices;
        if (!launch->sampled || slices++ % SHORT_SLICES == 0)
            check_time(warp, VG_FAULT_TIMED_OUT, launch->deadline);
        return 0;
    }
    block->state[index] = result == VG_EXITED ? VG_DONE : VG_AT_BARRIER;
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
        if (block->state[index] != VG_RUNNABLE)
            continue;
        progress |= run_warp(block, index);
        runnable += block->state[index] == VG_RUNNABLE;
    }
    if (block->living > runnable && (!runnable || !progress)) {
        int released = vg_release_barriers(block);
        if (!released && !runnable)
            vg_fault_stuck(block);
        progress |= released;
    }
    return progress;
}

static VgWarp *running_warp(const Worker *worker)
{
    for (int i = 0; i < worker->count; i++)
        for (int w = 0; w < worker->resident[i]->warps; w++)
            if (worker->resident[i]->state[w] == VG_RUNNABLE)
                return vg_warp_of(worker->resident[i], w);
    return NULL;
}

/* Counts this worker among those whose blocks change, or not; how many there are now. */
static int count_as_busy(Worker *worker, int is_busy)
{
    int change = is_busy - worker->is_counted;
    worker->is_counted = is_busy;
    return atomic_fetch_add(&worker->launch->busy, change) + change;
}

/* Where nothing changes any more, in no worker's blocks and with all blocks there, it never will. */
static void check_stillness(Worker *worker, const VgWarp *polling)
{
    int is_still = vg_look(&worker->stillness, worker->resident, worker->count);
    if (is_still && worker->count < MOST_RESIDENT && add_block(worker, 1))
        return;
    if (count_as_busy(worker, !is_still) || vg_look_again(&worker->stillness))
        return;
    const VgWarp *warp = polling ? polling : running_warp(worker);
    if (warp)
        end_in_vain(warp, VG_FAULT_DEADLOCK, polling == NULL);
}

/* A warp of the worker's blocks whose last time slice ended in polling. */
static VgWarp *polling_warp(const Worker *worker)
{
    for (int i = 0; i < worker->count; i++)
        for (int w = 0; w < worker->resident[i]->warps; w++) {
            VgWarp *warp = vg_warp_of(worker->resident[i], w);
            if (worker->resident[i]->state[w] == VG_RUNNABLE && warp->spun)
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
        check_time(polling, VG_FAULT_DEADLOCK, worker->idle_since + launch->spin_seconds);
    if (!launch->sampled || worker->idle % SHORT_SLICES == 0)
        check_stillness(worker, polling);
}

static void run_blocks(Worker *worker)
{
    VgLaunch *launch = worker->launch;
    for (unsigned rounds = 1; !atomic_load(&launch->stopped); rounds++) {
        if (!worker->count && !add_block(worker, 0))
            return;
        if (rounds % ROUNDS_A_LOOK == 0)
            check_time(vg_warp_of(worker->resident[0], 0), VG_FAULT_TIMED_OUT, launch->deadline);
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
            worker->stillness = (VgStillness){0};
            if (!worker->is_counted)
                count_as_busy(worker, 1);
            atomic_fetch_add_explicit(&launch->progress, 1, memory_order_relaxed);
        } else if (worker->count)
            idle(worker);
    }
}

static void *work(void *argument)
{
    VgLaunch *launch = argument;
    Worker worker = {.launch = launch, .home = vg_home_new(launch), .sampled_left = launch->sampled_count,
                     .is_counted = 1};
    jmp_buf escape;
    vg_escape = &escape;
    Worker *volatile kept = &worker;
    if (!setjmp(escape))
        run_blocks(kept);
    count_as_busy(kept, 0);
    for (int i = 0; i < kept->count; i++) {
        vg_block_end(kept->resident[i], NULL);
        vg_block_free(kept->resident[i]);
    }
    vg_block_free(kept->spare);
    free(kept->resident);
    vg_home_free(&kept->home);
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
    atomic_store(&launch->busy, count);
    vg_watch_begin(launch);
    for (int i = 1; i < count; i++)
        pthread_create(&threads[i], NULL, work, launch);
    work(launch);
    for (int i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    vg_watch_end(launch);
    return launch->fault.kind;
}
