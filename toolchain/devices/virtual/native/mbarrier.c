/* `mbarrier`: barriers in shared memory that count arrivals and bytes.
 * The PTX ISA leaves the 64 bits open; here: arrivals expected (20), arrivals pending (20), bytes pending (23,
 * signed), parity of the phase (1), from the lowest bit on. A state token is the word before an arrival. */
#include "async.h"
#include "paths.h"
#include "runtime.h"

enum { COUNT_BITS = 20, BYTE_BITS = 23, PENDING_AT = 20, BYTES_AT = 40, PHASE_AT = 63 };
enum { MOST_COUNT = (1 << COUNT_BITS) - 1 };

typedef struct {
    uint32_t expected, pending;
    int32_t bytes;
    uint32_t phase;
} State;

static State unpack(uint64_t word)
{
    return (State){
        .expected = (uint32_t)(word & MOST_COUNT),
        .pending = (uint32_t)(word >> PENDING_AT & MOST_COUNT),
        .bytes = (int32_t)((int64_t)(word << 1) >> (BYTES_AT + 1)),
        .phase = (uint32_t)(word >> PHASE_AT),
    };
}

static uint64_t pack(State state)
{
    uint64_t bytes = (uint64_t)state.bytes & ((1u << BYTE_BITS) - 1);
    return state.expected | (uint64_t)state.pending << PENDING_AT | bytes << BYTES_AT
           | (uint64_t)state.phase << PHASE_AT;
}

static uint64_t *word_at(uint64_t barrier) { return (uint64_t *)(uintptr_t)barrier; }

/* Stores the state, or, where nothing is pending any more, that of the next phase. */
static void update(uint64_t barrier, State state)
{
    if (state.pending == 0 && state.bytes == 0) {
        state.pending = state.expected;
        state.phase ^= 1;
    }
    *word_at(barrier) = pack(state);
}

void vg_mbarrier_note_arrivals(const VgWarp *warp, uint32_t active, const uint64_t *barriers)
{
    uint64_t noted = 0;
    EACH_ACTIVE(lane, warp->block->paths ? active : 0) {
        if (barriers[lane] != noted)
            vg_paths_hand_on(warp, barriers[lane], unpack(*word_at(barriers[lane])).phase);
        noted = barriers[lane];
    }
}

/* Returns the state token. */
static uint64_t arrive(VgWarp *warp, uint32_t lane, uint64_t barrier, uint32_t count, int32_t bytes, int dropped)
{
    uint64_t token = *word_at(barrier);
    State state = unpack(token);
    if (count == 0 || count > state.pending)
        vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, 0, (int32_t)count);
    state.pending -= count;
    state.expected -= dropped ? count : 0;
    state.bytes += bytes;
    update(barrier, state);
    return token;
}

void vg_mbarrier_one_arrival(VgWarp *warp, uint32_t lane, uint64_t barrier) { arrive(warp, lane, barrier, 1, 0, 0); }

void vg_mbarrier_more_expected(uint64_t barrier)
{
    State state = unpack(*word_at(barrier));
    state.pending++;
    *word_at(barrier) = pack(state);
}

void vg_mbarrier_bytes_arrived(uint64_t barrier, uint32_t bytes)
{
    State state = unpack(*word_at(barrier));
    state.bytes -= (int32_t)bytes;
    update(barrier, state);
}

void vg_mbarrier_init(VgWarp *warp, uint32_t active, const uint64_t *barriers, const uint32_t *counts)
{
    EACH_ACTIVE(lane, active) {
        if (counts[lane] == 0 || counts[lane] > MOST_COUNT)
            vg_fault(warp, 1u << lane, VG_FAULT_ILLEGAL, 0, (int32_t)counts[lane]);
        *word_at(barriers[lane]) = pack((State){counts[lane], counts[lane], 0, 0});
    }
}

void vg_mbarrier_arrive(VgWarp *warp, uint32_t active, uint64_t *tokens, const uint64_t *barriers,
                        const uint32_t *counts)
{
    vg_mbarrier_note_arrivals(warp, active, barriers);
    EACH_ACTIVE(lane, active) tokens[lane] = arrive(warp, lane, barriers[lane], counts[lane], 0, 0);
}

void vg_mbarrier_arrive_drop(VgWarp *warp, uint32_t active, uint64_t *tokens, const uint64_t *barriers,
                             const uint32_t *counts)
{
    vg_mbarrier_note_arrivals(warp, active, barriers);
    EACH_ACTIVE(lane, active) tokens[lane] = arrive(warp, lane, barriers[lane], counts[lane], 0, 1);
}

void vg_mbarrier_arrive_expect_tx(VgWarp *warp, uint32_t active, uint64_t *tokens, const uint64_t *barriers,
                                  const uint32_t *bytes)
{
    vg_mbarrier_note_arrivals(warp, active, barriers);
    EACH_ACTIVE(lane, active) tokens[lane] = arrive(warp, lane, barriers[lane], 1, (int32_t)bytes[lane], 0);
}

void vg_mbarrier_expect_tx(VgWarp *warp, uint32_t active, const uint64_t *barriers, const uint32_t *bytes)
{
    (void)warp;
    EACH_ACTIVE(lane, active) {
        State state = unpack(*word_at(barriers[lane]));
        state.bytes += (int32_t)bytes[lane];
        *word_at(barriers[lane]) = pack(state);
    }
}

void vg_mbarrier_complete_tx(VgWarp *warp, uint32_t active, const uint64_t *barriers, const uint32_t *bytes)
{
    (void)warp;
    EACH_ACTIVE(lane, active) vg_mbarrier_bytes_arrived(barriers[lane], bytes[lane]);
}

/* Whether the phase of this parity is over; what completes on the barrier does so only when it is asked for. */
static uint32_t is_over(VgWarp *warp, uint64_t barrier, uint32_t parity)
{
    if (unpack(*word_at(barrier)).phase == parity)
        vg_async_settle(warp, barrier);
    vg_watch_exchange(warp);
    if (unpack(*word_at(barrier)).phase == parity)
        return 0;
    vg_paths_take_over(warp, barrier, parity);
    return 1;
}

void vg_mbarrier_test(VgWarp *warp, uint32_t active, uint32_t *over, const uint64_t *barriers,
                      const uint64_t *tokens)
{
    *over = 0;
    vg_paths_poll(warp);
    EACH_ACTIVE(lane, active) *over |= is_over(warp, barriers[lane], unpack(tokens[lane]).phase) << lane;
}

void vg_mbarrier_test_parity(VgWarp *warp, uint32_t active, uint32_t *over, const uint64_t *barriers,
                             const uint32_t *parities)
{
    *over = 0;
    vg_paths_poll(warp);
    EACH_ACTIVE(lane, active) *over |= is_over(warp, barriers[lane], parities[lane] & 1) << lane;
}

void vg_mbarrier_pending_count(VgWarp *warp, uint32_t active, uint32_t *out, const uint64_t *tokens)
{
    (void)warp, (void)active;
    EACH_LANE(lane) out[lane] = unpack(tokens[lane]).pending;
}
