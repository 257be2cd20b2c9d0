/* What a watched launch has found so far. */
#include <string.h>

#include "access.h"

static int is_known(const VgWatch *watch, const VgFault *fault)
{
    for (int i = 0; i < watch->noted; i++) {
        const VgFault *other = &watch->faults[i];
        if (other->kind == fault->kind && other->detail == fault->detail && other->line == fault->line
            && other->other_line == fault->other_line)
            return 1;
    }
    return watch->noted == (fault->detail ? VG_MOST_NOTED / 2 : VG_MOST_NOTED);
}

static void fill_place(VgFault *fault, const Access *access)
{
    const VgBlock *block = access->holder;
    fault->space = access->home ? VG_GLOBAL : VG_SHARED;
    fault->base = access->home ? access->home->base : (uint64_t)(uintptr_t)block->shared;
    fault->size = access->home ? access->home->bytes : block->shared_bytes;
    if (access->home)
        memcpy(fault->buffer, access->home->name, sizeof fault->buffer);
}

void vg_note(const Access *access, int kind, const VgMark *other, int doubtful)
{
    const VgBlock *block = access->warp->block;
    VgWatch *watch = vg_watch_of(block);
    VgFault fault = {.kind = kind, .line = access->what->line, .site = access->site, .access = access->what->kind};
    fault.bytes = access->what->bytes;
    fault.address = access->address;
    fault.block = block->index;
    fault.warp = (int32_t)access->warp->index;
    fault.lane = (int32_t)access->lane;
    fault.detail = doubtful;
    fill_place(&fault, access);
    if (other) {
        fault.other_line = block->launch->sites[other->site].line;
        fault.other_access = block->launch->sites[other->site].kind;
        fault.other_block = other->block;
        fault.other_warp = other->warp;
        fault.other_lane = __builtin_ctz(other->lanes);
    }
    if (!is_known(watch, &fault))
        watch->faults[watch->noted++] = fault;
}

void vg_note_stray(VgWarp *warp, uint32_t strays, uint32_t at_barrier)
{
    VgWatch *watch = vg_watch_of(warp->block);
    VgFault fault = {.kind = VG_FAULT_BARRIER_DIVERGENCE, .site = -1, .access = VG_NO_ACCESS};
    fault.block = warp->block->index;
    fault.warp = fault.other_warp = (int32_t)warp->index;
    fault.other_block = fault.block;
    fault.lane = __builtin_ctz(strays);
    fault.other_lane = __builtin_ctz(at_barrier);
    fault.pc = warp->pc[fault.other_lane];
    if (!is_known(watch, &fault))
        watch->faults[watch->noted++] = fault;
}
