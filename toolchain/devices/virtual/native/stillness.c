/* Whether anything changes: a fingerprint of where warps are and what they hold, and how long it stays the same;
 * then one of all memory, since a loop may get somewhere in memory alone. */
#include "stillness.h"

#include <string.h>
#include <time.h>

#define STILL_SECONDS 0.25
#define LOOK_SECONDS 0.02

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Eight sums side by side, which vector units make. */
uint64_t vg_mixed(const void *bytes, size_t count)
{
    enum { SIDE_BY_SIDE = 8, STEP = 8 * SIDE_BY_SIDE };
    const uint8_t *from = bytes;
    uint64_t sums[SIDE_BY_SIDE] = {0}, words[SIDE_BY_SIDE], state = 0;
    for (size_t done = 0; done < count; done += STEP) {
        if (count - done < STEP)
            memset(words, 0, sizeof words);
        memcpy(words, from + done, count - done < STEP ? count - done : STEP);
        for (int i = 0; i < SIDE_BY_SIDE; i++)
            sums[i] = sums[i] * 0x9e3779b97f4a7c15u + words[i];
    }
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        state = (state ^ sums[i]) * 0x9e3779b97f4a7c15u + (state >> 29);
    return state;
}

/* Of what blocks have to themselves. */
static uint64_t memory_of(const VgBlock *block)
{
    size_t local = 32 * (size_t)block->warps * block->local_bytes;
    return vg_mixed(block->shared, block->shared_bytes) + 3 * vg_mixed(block->local, local);
}

static uint64_t state_of(VgBlock *const *blocks, int count)
{
    uint64_t state = (uint64_t)count;
    for (int i = 0; i < count; i++) {
        state = 5 * state + memory_of(blocks[i]);
        for (int w = 0; w < blocks[i]->warps; w++) {
            const VgWarp *warp = vg_warp_of(blocks[i], w);
            size_t registers = (size_t)blocks[i]->launch->context_bytes - offsetof(VgWarp, registers);
            state = 5 * state + vg_mixed(warp->pc, sizeof warp->pc);
            if (blocks[i]->state[w] == VG_RUNNABLE)
                state = 5 * state + vg_mixed(warp->registers, registers);
        }
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

int vg_memory_changes(VgStillness *stillness, VgBlock *const *blocks, int count)
{
    uint64_t memory = vg_memory_state();
    for (int i = 0; i < count; i++)
        memory = 5 * memory + memory_of(blocks[i]);
    int changes = !stillness->knows_memory || memory != stillness->memory;
    stillness->memory = memory;
    stillness->knows_memory = 1;
    stillness->since = stillness->looked;
    stillness->is_still = 0;
    return changes;
}
