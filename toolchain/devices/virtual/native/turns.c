/* The warps of a block take turns: each runs for a time slice, or to its next barrier. */
#include "turns.h"

#include <time.h>

#include "clusters.h"
#include "pace.h"

#define SHORT_SLICES 256 /* after which the time is looked at */
#define STILL_ROUNDS 8 /* without a warp at a barrier, after which barriers are looked at: a few of its lanes may be */

void vg_end_in_vain(const VgWarp *warp, int kind, int detail)
{
    VgFault fault = {.kind = kind, .site = -1, .block = warp->block->index, .warp = (int32_t)warp->index};
    for (fault.lane = 0; fault.lane < 31 && warp->pc[fault.lane] == VG_EXITED; fault.lane++)
        ;
    fault.pc = warp->pc[fault.lane];
    fault.detail = detail;
    vg_end_launch(warp->block->launch, &fault);
}

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static _Thread_local double begun; /* of its processor time */

void vg_begin_time(void) { begun = thread_seconds(); }

/* What a thread waits for a processor does not count: that, whoever asked for the call bounds. Before the limit's wall
 * time is over nothing else need be looked at. */
void vg_check_time(const VgWarp *warp)
{
    const VgLaunch *launch = warp->block->launch;
    double wall = vg_now() - launch->begun, limit = launch->limit_seconds;
    if (wall >= limit && thread_seconds() - begun >= limit)
        vg_end_in_vain(warp, VG_FAULT_TIMED_OUT, 0);
}

/* Runs one warp for a time slice; whether it got to a barrier or its end. */
static int run_warp(VgBlock *block, int index)
{
    VgLaunch *launch = block->launch;
    VgWarp *warp = vg_warp_of(block, index);
    warp->slice = block->slice;
    warp->spun = 0;
    block->counters = block->tally + (size_t)index * block->tally_step;
    vg_pace_begin_slice(block, warp);
    uint32_t result = block->result[index] = (block->watch ? launch->watched : launch->function)(warp, block);
    if (block->pending != block->first_pending)
        vg_count_pending(block);
    vg_pace_end_slice(block, warp, result);
    if (result == VG_YIELDED) {
        static __thread unsigned slices;
        if (block->slice > (uint32_t)launch->short_slice || slices++ % SHORT_SLICES == 0)
            vg_check_time(warp);
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
    block->still_rounds = progress ? 0 : block->still_rounds + 1;
    int is_due = !runnable || (!progress && block->still_rounds % STILL_ROUNDS == 1);
    if (block->living > runnable && is_due) {
        int released = vg_release_barriers(block), left = vg_release_cluster(block->cluster);
        released |= left;
        block->cluster->has_left |= left != 0;
        if (!released && !runnable)
            vg_check_stuck(block);
        progress |= released;
    }
    return progress;
}

VgWarp *vg_polling_in(const VgBlock *block, uint32_t whom)
{
    for (int w = 0; w < block->warps; w++)
        if (block->state[w] == VG_RUNNABLE && vg_warp_of(block, w)->spun & whom)
            return vg_warp_of(block, w);
    return NULL;
}

static int run_paced(VgBlock *block)
{
    vg_pace_begin_round(block);
    int progress = run_round(block);
    vg_pace_end_round(block);
    return progress;
}

int vg_run_turn(VgBlock *block)
{
    const VgLaunch *launch = block->launch;
    int turns = launch->residents > 1 ? launch->slice / (int)block->slice : 1;
    int progress = run_paced(block);
    while (--turns > 0 && !progress && block->living && !vg_polling_in(block, VG_POLLS_ANY | VG_POLLS_OWN))
        progress = run_paced(block);
    return progress;
}
