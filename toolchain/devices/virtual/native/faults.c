/* Faults: what went wrong is written down once, and the worker that met it jumps out of the warp function. */
#include "runtime.h"

#include <string.h>
#include <time.h>

__thread jmp_buf *vg_escape;

double vg_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void vg_end_launch(VgLaunch *launch, const VgFault *fault)
{
    int expected = 0;
    if (atomic_compare_exchange_strong(&launch->stopped, &expected, 1))
        launch->fault = *fault;
    longjmp(*vg_escape, 1);
}

void vg_fault(VgWarp *warp, uint32_t mask, int32_t kind, int32_t line, int32_t detail)
{
    VgFault fault = {.kind = kind, .line = line, .site = -1, .detail = detail};
    fault.block = warp->block->index;
    fault.warp = (int32_t)warp->index;
    fault.lane = mask ? __builtin_ctz(mask) : 0;
    vg_end_launch(warp->block->launch, &fault);
}

void vg_trap(VgWarp *warp, uint32_t mask, int32_t line)
{
    if (mask)
        vg_fault(warp, mask, VG_FAULT_TRAP, line, 0);
}

void vg_assert(VgWarp *warp, uint32_t mask, int32_t line)
{
    if (mask)
        vg_fault(warp, mask, VG_FAULT_ASSERT, line, 0);
}
