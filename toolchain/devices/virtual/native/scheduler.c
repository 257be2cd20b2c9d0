/* Runs the blocks of a launch: each worker keeps one cluster of them resident, and further ones while all warps of
 * those it has only poll for something that another block must do. */
#include "clusters.h"
#include "crew.h"
#include "grid.h"
#include "pace.h"
#include "stillness.h"
#include "tally.h"
#include "turns.h"

#include <stdlib.h>
#include <string.h>

#define POLLING_ROUNDS 4
#define QUIET_ROUNDS 256
#define MOST_RESIDENT 256 /* blocks that are brought in where nothing changes */
#define ROUNDS_A_LOOK 1024 /* of blocks that end soon, after which the time is looked at */
#define SHORT_ROUNDS 256 /* of a sampled launch, after which it is looked whether anything changes */

typedef struct {
    VgLaunch *launch;
    VgHome home;
    VgBlock **resident, **spare; /* spare: of those that ended, which the next ones take over */
    int count, spares, capacity;
    int room; /* of blocks that just ended, which the next ones take: no other worker need hear of it */
    VgTurn turn;
    int64_t sampled_left;
    int64_t idle, progress; /* rounds without progress of this worker; of the launch when they began */
    double idle_since;
    VgStillness stillness;
    int is_counted; /* among those whose blocks change */
} Worker;

static void add_block(Worker *worker, VgCluster *cluster, int64_t index)
{
    if (worker->count == worker->capacity) {
        worker->capacity = worker->capacity ? 2 * worker->capacity : 16;
        worker->resident = realloc(worker->resident, (size_t)worker->capacity * sizeof *worker->resident);
        worker->spare = realloc(worker->spare, (size_t)worker->capacity * sizeof *worker->spare);
    }
    VgBlock *block = worker->spares ? worker->spare[--worker->spares] : vg_block_new(&worker->home);
    worker->resident[worker->count++] = block;
    vg_block_begin(&worker->home, block, index, vg_sample_of(worker->launch, &worker->turn, index));
    vg_cluster_enter(cluster, block);
    vg_pace_enter(block);
}

/* Whether the GPU could hold so many blocks. They are taken to start in order, as hardware does: what waits for earlier
 * ones is no deadlock, so in reversed order there is always room. */
static int has_room(const VgLaunch *launch, int there)
{
    return !launch->holds || launch->options & VG_ORDER_REVERSED || there <= launch->holds;
}

/* Leaves the room of blocks that ended to others. */
static void leave_room(Worker *worker)
{
    if (worker->room)
        atomic_fetch_sub(&worker->launch->there, worker->room);
    worker->room = 0;
}

/* Brings in another cluster, as far as the GPU has room. A worker that finds none leaves the rest to others. */
static int add_cluster(Worker *worker, int filler)
{
    VgLaunch *launch = worker->launch;
    int size = vg_cluster_size(launch), has_own = worker->room >= size;
    int there = has_own ? 0 : atomic_fetch_add(&launch->there, size) + size;
    worker->room += has_own ? 0 : size;
    int64_t number = has_own || has_room(launch, there) ? vg_next_cluster(launch, &worker->turn, filler) : -1;
    if (number < 0) {
        leave_room(worker);
        return 0;
    }
    worker->room -= size;
    VgCluster *cluster = calloc(1, sizeof *cluster);
    for (int rank = 0; rank < size; rank++)
        add_block(worker, cluster, vg_cluster_block(worker->launch, number, rank));
    return 1;
}

/* What a deadlock's fault tells besides: minus the blocks that there is room for, where others have not started. */
static int room_short_of(VgLaunch *launch)
{
    int64_t blocks = (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    int there = atomic_load(&launch->there);
    return there < blocks && !has_room(launch, there + vg_cluster_size(launch)) ? -launch->holds : 0;
}

/* Takes the cluster of the block at `place` out; returns the place before its first block. */
static int remove_cluster(Worker *worker, int place)
{
    VgCluster *cluster = worker->resident[place]->cluster;
    int first = place - worker->resident[place]->cluster_ctarank;
    for (int rank = 0; rank < cluster->size; rank++) {
        worker->sampled_left -= cluster->blocks[rank]->profile != NULL;
        vg_pace_leave(cluster->blocks[rank]);
        vg_block_end(&worker->home, cluster->blocks[rank], 1);
        worker->spare[worker->spares++] = cluster->blocks[rank];
    }
    worker->count -= cluster->size;
    worker->room += cluster->size;
    memmove(worker->resident + first, worker->resident + first + cluster->size,
            (size_t)(worker->count - first) * sizeof *worker->resident);
    free(cluster);
    return first - 1;
}

static void give_up(VgLaunch *launch)
{
    launch->is_overrun = 1;
    atomic_store(&launch->stopped, 1);
}

/* Ends a launch in which a sampled block does far more than there is patience for. */
static void check_share(const Worker *worker)
{
    VgLaunch *launch = worker->launch;
    for (int i = 0; launch->most_issued && i < worker->count; i++)
        if (worker->resident[i]->number >= 0 && vg_tally_issued(worker->resident[i]) > launch->most_issued)
            give_up(launch);
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
    if (is_still && worker->count < MOST_RESIDENT && add_cluster(worker, 1))
        return;
    if (count_as_busy(worker, !is_still))
        return;
    const VgWarp *warp = polling ? polling : running_warp(worker);
    if (warp && !vg_memory_changes(&worker->stillness, worker->resident, worker->count))
        vg_end_in_vain(warp, VG_FAULT_DEADLOCK, polling ? room_short_of(worker->launch) : 1);
}

static VgWarp *polling_warp(const Worker *worker, uint32_t whom)
{
    VgWarp *polling = NULL;
    for (int i = 0; i < worker->count && !polling; i++)
        polling = vg_polling_in(worker->resident[i], whom);
    return polling;
}

/* Warps have polled for long while no memory changed: nobody does what they wait for. */
static void check_polling(Worker *worker, const VgWarp *polling)
{
    if (vg_now() < worker->idle_since + worker->launch->spin_seconds / 2)
        return;
    if (!vg_memory_changes(&worker->stillness, worker->resident, worker->count))
        vg_end_in_vain(polling, VG_FAULT_DEADLOCK, room_short_of(worker->launch));
    worker->idle_since = vg_now();
}

/* Brings in more blocks for those that wait: as many again, so that a whole grid that waits for itself is soon there,
 * as far as the GPU has room. */
static int add_waited_for(Worker *worker)
{
    int added = 0, wanted = worker->launch->sampled && !worker->launch->whole ? 1 : worker->count;
    while (added < wanted && add_cluster(worker, 1))
        added++;
    return added;
}

/* No warp got anywhere for a round: bring in other blocks, or find that they poll in vain. */
static void idle(Worker *worker)
{
    VgLaunch *launch = worker->launch;
    int64_t progress = atomic_load(&launch->progress);
    atomic_store(&launch->is_looked_at, 1);
    if (worker->idle++ == 0 || progress != worker->progress)
        worker->idle_since = vg_now();
    worker->progress = progress;
    VgWarp *for_others = polling_warp(worker, VG_POLLS_ANY);
    VgWarp *polling = for_others ? for_others : polling_warp(worker, VG_POLLS_OWN);
    if (worker->idle % (for_others ? POLLING_ROUNDS : QUIET_ROUNDS) == 0 && add_waited_for(worker)) {
        worker->idle = 0;
        launch->waits |= for_others != NULL;
        if (for_others && launch->most_issued)
            give_up(launch);
    } else if (polling && !(launch->options & VG_TIMED))
        check_polling(worker, polling);
    if (!(launch->options & VG_TIMED) && (!launch->sampled || worker->idle % SHORT_ROUNDS == 0))
        check_stillness(worker, polling);
}

static void run_blocks(Worker *worker)
{
    VgLaunch *launch = worker->launch;
    for (unsigned rounds = 1; !atomic_load(&launch->stopped); rounds++) {
        while (worker->count < launch->residents && add_cluster(worker, 0))
            ;
        leave_room(worker);
        if (!worker->count)
            return;
        if (rounds % ROUNDS_A_LOOK == 0) {
            vg_check_time(vg_warp_of(worker->resident[0], 0));
            check_share(worker);
        }
        int progress = 0;
        vg_pace_look(launch, worker->resident, worker->count);
        for (int i = 0; i < worker->count; i++) {
            if (worker->resident[i]->living && vg_pace_is_due(worker->resident[i]))
                progress |= vg_run_turn(worker->resident[i]);
            if (!worker->resident[i]->living && vg_cluster_is_over(worker->resident[i]->cluster))
                i = remove_cluster(worker, i);
        }
        if (launch->sampled && !launch->whole && !worker->sampled_left)
            return;
        if (progress || (launch->pace && vg_pace_goes_on(worker->resident, worker->count))) {
            worker->idle = 0;
            worker->stillness = (VgStillness){0};
            if (!worker->is_counted)
                count_as_busy(worker, 1);
            if (atomic_load_explicit(&launch->is_looked_at, memory_order_relaxed))
                atomic_fetch_add_explicit(&launch->progress, 1, memory_order_relaxed);
        } else if (worker->count)
            idle(worker);
    }
}

static void free_blocks(Worker *worker)
{
    for (int i = 0; i < worker->count; i++) {
        VgBlock *block = worker->resident[i];
        vg_block_end(&worker->home, block, 0);
        if (block->cluster_ctarank == block->cluster->size - 1)
            free(block->cluster);
        vg_block_free(block);
    }
    while (worker->spares)
        vg_block_free(worker->spare[--worker->spares]);
}

static void *work(void *argument)
{
    VgLaunch *launch = argument;
    Worker worker = {.launch = launch, .home = vg_home_new(launch), .sampled_left = launch->sampled_count,
                     .is_counted = 1};
    jmp_buf escape;
    vg_escape = &escape;
    vg_begin_time();
    Worker *volatile kept = &worker;
    if (!setjmp(escape))
        run_blocks(kept);
    count_as_busy(kept, 0);
    free_blocks(kept);
    free(kept->resident);
    free(kept->spare);
    vg_home_free(&kept->home);
    return NULL;
}

/* Runs a launch to its end; its fault's kind, 0 for none. */
int vg_launch(VgLaunch *launch)
{
    VgHand *crew[VG_MOST_THREADS];
    VgDeal deal;
    int count = launch->threads < VG_MOST_THREADS ? launch->threads : VG_MOST_THREADS;
    vg_deal(launch, &deal, count);
    atomic_store(&launch->stopped, 0);
    atomic_store(&launch->is_looked_at, 0);
    atomic_store(&launch->progress, 0);
    atomic_store(&launch->there, 0);
    atomic_store(&launch->busy, count);
    vg_watch_begin(launch);
    vg_pace_begin(launch);
    for (int i = 1; i < count; i++)
        crew[i] = vg_hire(work, launch);
    work(launch);
    for (int i = 1; i < count; i++)
        if (crew[i])
            vg_dismiss(crew[i]);
        else
            work(launch); /* what it would have done */
    vg_pace_end(launch);
    vg_watch_end(launch);
    return launch->fault.kind;
}
