/* Watched accesses: races, reads of what nothing has written, reads of what is still being copied. What is found
 * is noted and the launch goes on, but for what `vg_check` refuses. */
#include "watch.h"

#include <stdlib.h>
#include <string.h>

#include "lanes.h"

/* One lane's access. */
typedef struct {
    VgWarp *warp;
    uint32_t lane;
    int32_t site;
    const VgSite *what;
    uint64_t address;
    const VgAllocation *home; /* NULL for shared memory */
    uint32_t base;            /* the first stamp that counts for this memory */
    int changes;              /* whether a write changes what is there */
} Access;

void vg_check(VgWarp *warp, uint32_t mask, const uint64_t *addresses, int32_t site);

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
    const VgBlock *block = access->warp->block;
    fault->space = access->home ? VG_GLOBAL : VG_SHARED;
    fault->base = access->home ? access->home->base : (uint64_t)(uintptr_t)block->shared;
    fault->size = access->home ? access->home->bytes : block->shared_bytes;
    if (access->home)
        memcpy(fault->buffer, access->home->name, sizeof fault->buffer);
}

/* `doubtful`: nothing may come of it. */
static void note(const Access *access, int kind, const VgMark *other, int doubtful)
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

/* --- one cell ---------------------------------------------------------------------------------------------------- */

static int counts(const Access *access, const VgMark *mark) { return mark->stamp >= access->base; }

static int is_race(const Access *access, const VgMark *mark)
{
    return counts(access, mark) && !(mark->strong && access->what->strong)
           && !vg_is_ordered(access->warp, access->lane, mark);
}

static int is_same_warp(const Access *access, const VgMark *mark)
{
    return mark->block == (uint32_t)access->warp->block->index && mark->warp == access->warp->index;
}

static VgMark mark_of(const Access *access)
{
    return (VgMark){
        .stamp = vg_watch_of(access->warp->block)->now,
        .lanes = 1u << access->lane,
        .block = (uint32_t)access->warp->block->index,
        .site = (uint16_t)access->site,
        .warp = (uint8_t)access->warp->index,
        .strong = access->what->strong,
    };
}

static void put(VgMark *place, VgMark mark)
{
    int together = place->stamp == mark.stamp && place->site == mark.site && place->warp == mark.warp
                   && place->block == mark.block;
    if (together) {
        mark.lanes |= place->lanes;
        mark.same &= place->same;
    }
    *place = mark;
}

static int is_set(const Access *access, const VgCell *cell)
{
    return counts(access, &cell->write) || counts(access, &cell->update);
}

/* Whether an access is at odds with an earlier write; a read is not with one that changed nothing. */
static int check_writers(const Access *access, const VgCell *cell)
{
    int reads = access->what->kind == VG_LOAD || access->what->kind == VG_LDMATRIX;
    const VgMark *writers[] = {&cell->write, &cell->update};
    for (int i = 0; i < 2; i++) {
        int in_flight = writers[i]->in_flight && counts(access, writers[i]);
        if (in_flight || (!(reads && writers[i]->same) && is_race(access, writers[i]))) {
            note(access, in_flight ? VG_FAULT_IN_FLIGHT : VG_FAULT_RACE, writers[i], 0);
            return 1;
        }
    }
    return 0;
}

static void check_read(const Access *access, const VgCell *cell)
{
    if (!check_writers(access, cell) && !access->home && !is_set(access, cell) && !access->what->replaces)
        note(access, VG_FAULT_UNINITIALISED, NULL, 1);
}

static void read_cell(const Access *access, VgCell *cell)
{
    check_read(access, cell);
    VgMark mark = mark_of(access);
    if (!is_same_warp(access, &cell->read))
        cell->other = cell->read;
    put(&cell->read, mark);
}

/* Lanes of one warp run in step, so that one may count on reading before another writes. */
static void check_readers(const Access *access, const VgCell *cell)
{
    const VgMark *readers[] = {&cell->read, &cell->other};
    for (int i = 0; i < 2; i++)
        if (is_race(access, readers[i]))
            note(access, VG_FAULT_RACE, readers[i], is_same_warp(access, readers[i]));
}

static void write_cell(const Access *access, VgCell *cell, int in_flight)
{
    int changes = access->changes || (!access->home && !is_set(access, cell));
    if (changes && !check_writers(access, cell))
        check_readers(access, cell);
    VgMark mark = mark_of(access);
    mark.in_flight = in_flight != 0;
    mark.same = !changes;
    put(access->what->strong ? &cell->update : &cell->write, mark);
}

static void update_cell(const Access *access, VgCell *cell)
{
    check_read(access, cell);
    check_readers(access, cell);
    put(&cell->update, mark_of(access));
}

static void touch(const Access *access, VgCell *cell)
{
    switch (access->what->kind) {
    case VG_STORE:
        write_cell(access, cell, 0);
        break;
    case VG_ATOMIC:
        if (access->what->barrier)
            put(&cell->update, mark_of(access));
        else
            update_cell(access, cell);
        break;
    case VG_ASYNC_COPY:
        if (!access->home) {
            write_cell(access, cell, 1);
            break;
        }
        /* fall through */
    default:
        read_cell(access, cell);
    }
}

/* --- one lane ---------------------------------------------------------------------------------------------------- */

static void touch_cells(const Access *access, VgCell *cells, uint64_t offset, unsigned shift)
{
    uint64_t last = (offset + access->what->bytes - 1) >> shift;
    for (uint64_t i = offset >> shift; i <= last; i++)
        touch(access, cells + i);
}

static void touch_written(const Access *access, uint64_t offset)
{
    uint8_t *written = access->home->shadow->written;
    int writes = access->what->kind == VG_STORE || access->what->kind == VG_ATOMIC;
    if (!written)
        return;
    if (access->what->kind != VG_STORE && !access->what->replaces
        && memchr(written + offset, 0, access->what->bytes))
        note(access, VG_FAULT_UNINITIALISED, NULL, 0);
    if (writes)
        memset(written + offset, 1, access->what->bytes);
}

static void watch_global(Access *access, const VgAllocation **last)
{
    VgWatch *watch = vg_watch_of(access->warp->block);
    const VgAllocation *home = *last;
    if (!home || access->address - home->base >= home->bytes)
        home = *last = vg_nearest(access->address);
    if (!home || access->address - home->base >= home->bytes || !home->writable)
        return;
    VgShadow *shadow = home->shadow;
    if (!shadow->cells)
        shadow->cells = calloc((home->bytes >> watch->global_shift) + 1, sizeof *shadow->cells);
    access->home = home;
    access->base = 1;
    touch_written(access, access->address - home->base);
    if (shadow->cells)
        touch_cells(access, shadow->cells, access->address - home->base, watch->global_shift);
}

static void watch_lane(VgWarp *warp, uint32_t lane, uint64_t address, int32_t site, int changes,
                       const VgAllocation **last)
{
    const VgBlock *block = warp->block;
    const VgSite *what = &block->launch->sites[site];
    uint64_t offset = address - (uint64_t)(uintptr_t)block->shared;
    uint64_t local = address - (uint64_t)(uintptr_t)warp->local;
    Access access = {warp, lane, site, what, address, NULL, block->watch->base, changes};
    if (what->space == VG_SHARED || (what->space == VG_GENERIC && offset < block->shared_bytes))
        touch_cells(&access, block->watch->cells, offset, vg_watch_of(block)->shared_shift);
    else if (what->space == VG_GLOBAL || (what->space == VG_GENERIC && local >= 32 * (uint64_t)block->local_bytes))
        watch_global(&access, last);
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

/* Whether lanes of the warp wait at a barrier that is for all of them. */
static int is_awaited(const VgWarp *warp)
{
    uint32_t found = 0;
    for (int lane = 0; lane < LANES; lane++)
        found |= warp->pc[lane] >= VG_BLOCKED && warp->pc[lane] != VG_EXITED && warp->pc[lane] & VG_ALIGNED;
    return (int)found;
}

static void end_access(VgWarp *warp, uint32_t mask, const VgSite *what, int32_t site)
{
    if (mask != UINT32_MAX && is_awaited(warp))
        warp->block->watch->strays[warp->index] |= mask;
    VgWatch *watch = vg_watch_of(warp->block);
    watch->left--;
    if (what->kind == VG_ASYNC_COPY && what->space != VG_GLOBAL)
        warp->block->watch->copying[warp->index] = (uint16_t)site;
    if (what->barrier || (what->strong && watch->fenced))
        vg_watch_exchange(warp);
}

/* Checks and watches an access that somebody else makes. */
void vg_watch(VgWarp *warp, uint32_t mask, const uint64_t *addresses, int32_t site)
{
    const VgAllocation *last = NULL;
    vg_check(warp, mask, addresses, site);
    if (!mask || !warp->block->watch)
        return;
    EACH_ACTIVE(lane, mask) watch_lane(warp, lane, addresses[lane], site, 1, &last);
    end_access(warp, mask, &warp->block->launch->sites[site], site);
}

/* Checks, watches and makes a store: `in` has the first elements of all lanes, then the second … */
void vg_watch_store(VgWarp *warp, uint32_t mask, const uint8_t *in, const uint64_t *addresses, int32_t site,
                    int32_t element_bytes)
{
    const VgSite *what = &warp->block->launch->sites[site];
    const VgAllocation *last = NULL;
    size_t each = (size_t)element_bytes;
    vg_check(warp, mask, addresses, site);
    EACH_ACTIVE(lane, mask) {
        uint8_t *to = (uint8_t *)(uintptr_t)addresses[lane];
        int changes = 0;
        for (size_t i = 0; i < what->bytes / each; i++)
            changes |= memcmp(to + i * each, in + (i * LANES + lane) * each, each) != 0;
        if (warp->block->watch)
            watch_lane(warp, lane, addresses[lane], site, changes, &last);
        for (size_t i = 0; i < what->bytes / each; i++)
            memcpy(to + i * each, in + (i * LANES + lane) * each, each);
    }
    if (mask && warp->block->watch)
        end_access(warp, mask, what, site);
}

/* --- asynchronous copies ----------------------------------------------------------------------------------------- */

/* `bytes` from `destination` on are in flight, besides those that the site itself told. */
void vg_watch_issued(VgWarp *warp, uint32_t lane, uint64_t destination, uint32_t bytes)
{
    const VgBlock *block = warp->block;
    if (!block->watch)
        return;
    int32_t site = block->watch->copying[warp->index];
    const VgAllocation *last = NULL;
    uint32_t step = block->launch->sites[site].bytes;
    for (uint32_t done = step; done + step <= bytes; done += step)
        watch_lane(warp, lane, destination + done, site, 1, &last);
}

void vg_watch_landed(VgWarp *warp, uint32_t lane, uint64_t destination, uint32_t bytes)
{
    const VgBlock *block = warp->block;
    uint64_t offset = destination - (uint64_t)(uintptr_t)block->shared;
    if (!block->watch || offset >= block->shared_bytes)
        return;
    unsigned shift = vg_watch_of(block)->shared_shift;
    for (uint64_t i = offset >> shift; i <= (offset + bytes - 1) >> shift; i++) {
        VgMark *write = &block->watch->cells[i].write;
        if (write->in_flight && write->warp == warp->index && write->lanes >> lane & 1) {
            write->in_flight = 0;
            write->stamp = vg_watch_of(block)->now;
        }
    }
}

/* --- launches ---------------------------------------------------------------------------------------------------- */

static unsigned shift_of(const VgLaunch *launch, int space)
{
    unsigned least = 16;
    for (int i = 0; i < launch->site_count; i++) {
        const VgSite *what = &launch->sites[i];
        if ((what->space == space || what->space == VG_GENERIC) && what->bytes < least)
            least = what->bytes;
    }
    return (unsigned)__builtin_ctz(least);
}

void vg_watch_begin(VgLaunch *launch)
{
    launch->watch = NULL;
    if (!launch->watched_accesses)
        return;
    VgWatch *watch = launch->watch = calloc(1, sizeof *watch);
    size_t blocks = (size_t)launch->grid[0] * (size_t)launch->grid[1] * (size_t)launch->grid[2];
    watch->now = 1;
    watch->left = launch->watched_accesses;
    watch->shared_shift = shift_of(launch, VG_SHARED);
    watch->global_shift = shift_of(launch, VG_GLOBAL);
    watch->fenced = (launch->options & VG_FENCED) != 0;
    if (watch->fenced) {
        watch->released = calloc(blocks, sizeof *watch->released);
        watch->acquired = calloc(blocks, sizeof *watch->acquired);
    }
}

/* What was noted, for the caller; the launch's allowance is what it has left. */
void vg_watch_end(VgLaunch *launch)
{
    VgWatch *watch = launch->watch;
    if (!watch)
        return;
    launch->noted_count = watch->noted;
    memcpy(launch->noted, watch->faults, (size_t)watch->noted * sizeof *watch->faults);
    launch->watched_accesses = watch->left > 0 ? watch->left : 0;
    vg_forget_cells();
    if (watch->left <= 0)
        vg_forget_written(); /* some blocks went unwatched */
    free(watch->released);
    free(watch->acquired);
    free(watch);
    launch->watch = NULL;
}
