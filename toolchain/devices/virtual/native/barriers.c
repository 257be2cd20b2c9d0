/* Block barriers: named ones, with thread counts, arrivals without waiting, and votes. */
#include "paths.h"
#include "residents.h"

enum { CLUSTER_BARRIER = VG_BARRIERS, ALL_BARRIERS }; /* that of the cluster counts as one more */

static VgBarrier *barrier_at(VgWarp *warp, uint32_t mask, uint32_t number)
{
    if (number >= VG_BARRIERS)
        vg_fault(warp, mask, VG_FAULT_ILLEGAL, 0, (int32_t)number);
    return &warp->block->barriers[number];
}

void vg_barrier_expect(VgWarp *warp, uint32_t mask, const uint32_t *number, const uint32_t *threads)
{
    for (; mask; mask &= mask - 1) {
        int lane = __builtin_ctz(mask);
        barrier_at(warp, mask, number[lane])->expected = threads[lane];
    }
}

/* A warp arrives as a whole. */
void vg_barrier_arrive(VgWarp *warp, uint32_t mask, const uint32_t *number, const uint32_t *threads)
{
    if (!mask)
        return;
    int lane = __builtin_ctz(mask);
    VgBarrier *barrier = barrier_at(warp, mask, number[lane]);
    barrier->expected = threads[lane];
    barrier->arrived += VG_LANES;
    vg_watch_arrive(warp->block, warp->index, number[lane]);
    vg_paths_arrive(warp->block, (int)warp->index, number[lane]);
}

void vg_barrier_vote(VgWarp *warp, uint32_t mask, const uint32_t *number, uint32_t votes)
{
    if (!mask)
        return;
    VgBarrier *barrier = barrier_at(warp, mask, number[__builtin_ctz(mask)]);
    barrier->voters[barrier->generation & 1] += (uint32_t)__builtin_popcount(mask);
    barrier->votes[barrier->generation & 1] += (uint32_t)__builtin_popcount(votes & mask);
}

/* The result of the generation that was released last. */
void vg_barrier_votes(VgWarp *warp, uint32_t mask, uint32_t *votes, uint32_t *voters, const uint32_t *number)
{
    for (; mask; mask &= mask - 1) {
        int lane = __builtin_ctz(mask);
        const VgBarrier *barrier = barrier_at(warp, mask, number[lane]);
        votes[lane] = barrier->votes[(barrier->generation - 1) & 1];
        voters[lane] = barrier->voters[(barrier->generation - 1) & 1];
    }
}

static int is_blocked(uint32_t pc)
{
    return pc >= VG_BLOCKED && pc != VG_EXITED;
}

static uint32_t number_of(uint32_t pc)
{
    return pc & VG_AT_CLUSTER ? CLUSTER_BARRIER : pc >> VG_BARRIER_SHIFT & (VG_BARRIERS - 1);
}

/* Who waits where, over a whole block. */
typedef struct {
    uint32_t warps[ALL_BARRIERS]; /* with a lane at each barrier */
    uint32_t lanes[ALL_BARRIERS];
    uint32_t living;
} Waiting;

static Waiting count_waiting(const VgBlock *block)
{
    Waiting waiting = {0};
    for (int w = 0; w < block->warps; w++) {
        const VgWarp *warp = vg_warp_of(block, w);
        uint32_t seen = 0;
        for (int lane = 0; lane < VG_LANES; lane++) {
            uint32_t pc = warp->pc[lane];
            waiting.living += pc != VG_EXITED;
            if (!is_blocked(pc))
                continue;
            waiting.lanes[number_of(pc)]++;
            seen |= 1u << number_of(pc);
        }
        for (; seen; seen &= seen - 1)
            waiting.warps[__builtin_ctz(seen)]++;
    }
    return waiting;
}

static void fault_at(const VgWarp *warp, int lane, int kind)
{
    VgFault fault = {.kind = kind, .site = -1, .lane = lane, .warp = (int32_t)warp->index};
    fault.block = warp->block->index;
    fault.pc = warp->pc[lane];
    fault.detail = (int32_t)number_of(warp->pc[lane]);
    vg_end_launch(warp->block->launch, &fault);
}

static void next_generation(VgBarrier *barrier)
{
    barrier->generation++;
    barrier->arrived = barrier->expected = 0;
    barrier->voters[barrier->generation & 1] = barrier->votes[barrier->generation & 1] = 0;
}

/* Orders what the warps that leave a barrier did before what they do next. */
static void order(VgBlock *block, uint32_t number, const uint8_t *leaving)
{
    if (!block->watch)
        return;
    for (int w = 0; w < block->warps; w++)
        if (leaving[w])
            vg_watch_arrive(block, (uint32_t)w, number);
    for (int w = 0; w < block->warps; w++)
        if (leaving[w])
            vg_watch_leave(block, (uint32_t)w, number);
    vg_watch_reset(block, number);
}

static void release(VgBlock *block, uint32_t number)
{
    uint8_t leaving[VG_MOST_WARPS] = {0};
    for (int w = 0; w < block->warps; w++) {
        VgWarp *warp = vg_warp_of(block, w);
        uint32_t first = 0, lanes = 0;
        for (int lane = 0; lane < VG_LANES; lane++) {
            uint32_t pc = warp->pc[lane];
            if (!is_blocked(pc) || number_of(pc) != number)
                continue;
            lanes |= 1u << lane;
            if (first && pc != first && (pc & VG_ALIGNED))
                fault_at(warp, lane, VG_FAULT_BARRIER_DIVERGENCE);
            first = pc;
        }
        if (first & VG_ALIGNED)
            vg_watch_strays(block, (uint32_t)w, lanes);
        for (int lane = 0; first && lane < VG_LANES; lane++)
            if (is_blocked(warp->pc[lane]) && number_of(warp->pc[lane]) == number)
                warp->pc[lane] &= VG_MOST_BLOCKS - 1;
        if (first)
            block->state[w] = VG_RUNNABLE;
        leaving[w] = first != 0;
    }
    order(block, number, leaving);
    vg_paths_meet(block, number, leaving, !block->barriers[number].expected);
    next_generation(&block->barriers[number]);
}

/* Whether all living lanes of a warp are at `pc`. */
static int all_at(const VgWarp *warp, uint32_t pc)
{
    uint32_t elsewhere = 0;
    for (int lane = 0; lane < VG_LANES; lane++)
        elsewhere |= (uint32_t)(warp->pc[lane] != pc) & (uint32_t)(warp->pc[lane] != VG_EXITED);
    return !elsewhere;
}

uint32_t vg_living_lanes(const VgWarp *warp)
{
    uint32_t lanes = 0;
    for (int lane = 0; lane < VG_LANES; lane++)
        lanes |= (uint32_t)(warp->pc[lane] != VG_EXITED) << lane;
    return lanes;
}

/* The usual case: every warp waits, as one, at the same barrier for all threads. */
static int release_whole_block(VgBlock *block)
{
    int number = -1;
    for (int w = 0; w < block->warps; w++) {
        uint32_t pc = block->result[w];
        if (pc == VG_EXITED)
            continue;
        if (!is_blocked(pc) || !all_at(vg_warp_of(block, w), pc))
            return 0;
        if (number >= 0 && number != (int)number_of(pc))
            return 0;
        number = (int)number_of(pc);
    }
    if (number < 0 || number == CLUSTER_BARRIER || block->barriers[number].expected)
        return 0;
    uint8_t leaving[VG_MOST_WARPS] = {0};
    for (int w = 0; w < block->warps; w++) {
        VgWarp *warp = vg_warp_of(block, w);
        if (block->result[w] == VG_EXITED)
            continue;
        if (block->watch)
            vg_watch_strays(block, (uint32_t)w, block->result[w] & VG_ALIGNED ? vg_living_lanes(warp) : 0);
        for (int lane = 0; lane < VG_LANES; lane++)
            warp->pc[lane] = warp->pc[lane] == VG_EXITED ? VG_EXITED : warp->pc[lane] & (VG_MOST_BLOCKS - 1);
        block->state[w] = VG_RUNNABLE;
        leaving[w] = 1;
    }
    order(block, (uint32_t)number, leaving);
    vg_paths_meet(block, (uint32_t)number, leaving, 1);
    next_generation(&block->barriers[number]);
    return 1;
}

int vg_release_barriers(VgBlock *block)
{
    if (release_whole_block(block))
        return 1;
    Waiting waiting = count_waiting(block);
    int released = 0;
    for (uint32_t number = 0; number < VG_BARRIERS; number++) {
        const VgBarrier *barrier = &block->barriers[number];
        if (!waiting.lanes[number])
            continue;
        int complete = barrier->expected
            ? waiting.warps[number] * VG_LANES + barrier->arrived >= barrier->expected
            : waiting.lanes[number] == waiting.living;
        if (complete) {
            release(block, number);
            released++;
        }
    }
    return released;
}

int vg_waits_within(const VgBlock *block)
{
    Waiting waiting = count_waiting(block);
    for (uint32_t number = 0; number < VG_BARRIERS; number++)
        if (waiting.lanes[number])
            return 1;
    return 0;
}

/* No barrier can ever be released: name the lane that waits at the one with fewest. */
void vg_fault_stuck(VgBlock *block)
{
    Waiting waiting = count_waiting(block);
    int barriers = 0;
    uint32_t rarest = 0, fewest = UINT32_MAX;
    for (uint32_t number = 0; number < ALL_BARRIERS; number++) {
        if (waiting.lanes[number] && waiting.lanes[number] < fewest) {
            rarest = number;
            fewest = waiting.lanes[number];
        }
        barriers += waiting.lanes[number] != 0;
    }
    int kind = barriers > 1 ? VG_FAULT_BARRIER_DIVERGENCE : VG_FAULT_DEADLOCK;
    for (int w = 0; w < block->warps; w++)
        for (int lane = 0; lane < VG_LANES; lane++) {
            uint32_t pc = vg_warp_of(block, w)->pc[lane];
            if (is_blocked(pc) && number_of(pc) == rarest)
                fault_at(vg_warp_of(block, w), lane, kind);
        }
    fault_at(vg_warp_of(block, 0), 0, kind);
    __builtin_unreachable();
}
