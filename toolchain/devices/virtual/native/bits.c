/* Bit searches that have no short form in LLVM IR. */
#include "lanes.h"

/* PTX ISA, `fns`: the `offset`-th one bit of `mask` from `base` on, upwards or, where negative, downwards. */
static uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    int step = offset < 0 ? -1 : 1;
    int64_t wanted = offset == 0 ? 1 : (int64_t)offset * step;
    for (int64_t place = base; place >= 0 && place < LANES; place += step) {
        wanted -= mask >> place & 1;
        if (wanted == 0)
            return (uint32_t)place;
        if (offset == 0)
            break;
    }
    return UINT32_MAX;
}

LANEWISE_3(fns, uint32_t, uint32_t, find_nth_set(x, y, (int32_t)z))
