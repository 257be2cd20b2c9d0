/* Whether anything changes: a fingerprint of where warps are and what they hold, and how long it stays the same. */
#include "stillness.h"

#include <time.h>

#define STILL_SECONDS 0.25
#define LOOK_SECONDS 0.02

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t mixed(uint64_t state, const void *bytes, size_t count)
{
    const uint64_t *words = bytes;
    for (size_t i = 0; i < count / sizeof *words; i++)
        state = (state ^ words[i]) * 0x9e3779b97f4a7c15u + (state >> 29);
    return state;
}

static uint64_t state_of(VgBlock *const *blocks, int count)
{
    uint64_t state = (uint64_t)count;
    for (int i = 0; i < count; i++)
        for (int w = 0; w < blocks[i]->warps; w++) {
            const VgWarp *warp = vg_warp_of(blocks[i], w);
            size_t registers = (size_t)blocks[i]->launch->context_bytes - offsetof(VgWarp, registers);
            state = mixed(state, warp->pc, sizeof warp->pc);
            if (blocks[i]->state[w] == VG_RUNNABLE)
                state = mixed(state, warp->registers, registers);
        }
    return state;
}

int vg_look(VgStillness *stillness, VgBlock *const *blocks, int count)
{
    double now = processor_seconds();
    if (now < stillness->looked + LOOK_SECONDS)
        return stillness->is_still;
    uint64_t state = state_of(blocks, count);
    stillness->looked = now;
    if (state != stillness->state)
        stillness->since = now;
    stillness->state = state;
    return stillness->is_still = now >= stillness->since + STILL_SECONDS;
}

int vg_look_again(VgStillness *stillness)
{
    if (stillness->doubted == stillness->state)
        return 0;
    stillness->doubted = stillness->state;
    stillness->since = stillness->looked;
    stillness->is_still = 0;
    return 1;
}
