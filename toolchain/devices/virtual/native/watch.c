/* Watched accesses: races, reads of what nothing has written, reads of what is still being copied. What is found
 * is noted and the launch goes on, but for what `vg_check` refuses. */
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "lanes.h"

void vg_check(VgWarp *warp, uint32_t mask, const uint64_t *addresses, int32_t site);

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
        vg_note(access, VG_FAULT_UNINITIALISED, NULL, 0);
    if (writes)
        memset(written + offset, 1, access->what->bytes);
}

static void watch_global(Access *access)
{
    VgWatch *watch = vg_watch_of(access->warp->block);
    const VgAllocation *home = access->last;
    if (!home || access->address - home->base >= home->bytes)
        home = access->last = vg_nearest(access->address);
    if (!home || access->address - home->base >= home->bytes || !home->writable)
        return;
    VgShadow *shadow = home->shadow;
    size_t cells = (home->bytes >> watch->global_shift) + 1;
    if (!shadow->cells && cells <= watch->cells_left) {
        shadow->cells = calloc(cells, sizeof *shadow->cells);
        watch->cells_left -= cells;
    }
    access->home = home;
    access->base = 1;
    touch_written(access, access->address - home->base);
    if (shadow->cells)
        touch_cells(access, shadow->cells, access->address - home->base, watch->global_shift);
}

static Access access_of(VgWarp *warp, int32_t site)
{
    const VgBlock *block = warp->block;
    const VgSite *what = &block->launch->sites[site];
    return (Access){
        .warp = warp,
        .site = site,
        .what = what,
        .changes = 1,
        .mark = {
            .stamp = vg_watch_of(block)->now,
            .block = (uint32_t)block->index,
            .site = (uint16_t)site,
            .warp = (uint8_t)warp->index,
            .strong = what->strong,
        },
    };
}

/* The block of the cluster whose shared memory is meant. */
static const VgBlock *holder_of(const Access *access, uint64_t address)
{
    int space = access->what->space;
    return space == VG_CLUSTER || space == VG_GENERIC ? vg_shared_holder(access->warp->block, address) : NULL;
}

static inline void watch_shared(Access *access, const VgBlock *holder)
{
    access->holder = holder;
    access->base = holder->watch->base;
    uint64_t offset = access->address - (uint64_t)(uintptr_t)holder->shared;
    touch_cells(access, holder->watch->cells, offset, vg_watch_of(holder)->shared_shift);
}

static inline void watch_lane(Access *access, uint32_t lane, uint64_t address)
{
    const VgWarp *warp = access->warp;
    const VgBlock *block = warp->block;
    const VgSite *what = access->what;
    uint64_t offset = address - (uint64_t)(uintptr_t)block->shared;
    uint64_t local = address - (uint64_t)(uintptr_t)warp->local;
    access->lane = lane;
    access->address = address;
    access->home = NULL;
    access->mark.lanes = 1u << lane;
    const VgBlock *holder = offset < block->shared_bytes ? block : holder_of(access, address);
    if (holder)
        watch_shared(access, holder);
    else if (what->space == VG_GLOBAL || (what->space == VG_GENERIC && local >= 32 * (uint64_t)block->local_bytes))
        watch_global(access);
}

/* Whether lanes of the warp wait at a barrier that is for all of them. */
static int is_awaited(const VgWarp *warp)
{
    uint32_t found = 0;
    for (int lane = 0; lane < LANES; lane++)
        found |= warp->pc[lane] >= VG_BLOCKED && warp->pc[lane] != VG_EXITED && warp->pc[lane] & VG_ALIGNED
                 && !(warp->pc[lane] & VG_AT_CLUSTER);
    return (int)found;
}

static void end_access(VgWarp *warp, uint32_t mask, const VgSite *what)
{
    if (mask != UINT32_MAX && is_awaited(warp))
        warp->block->watch->strays[warp->index] |= mask;
    VgWatch *watch = vg_watch_of(warp->block);
    watch->left--;
    if (what->barrier || (what->strong && watch->fenced))
        vg_watch_exchange(warp);
}

/* Checks and watches an access that somebody else makes. */
void vg_watch(VgWarp *warp, uint32_t mask, const uint64_t *addresses, int32_t site)
{
    vg_check(warp, mask, addresses, site);
    if (!mask || !warp->block->watch)
        return;
    Access access = access_of(warp, site);
    EACH_ACTIVE(lane, mask) watch_lane(&access, lane, addresses[lane]);
    end_access(warp, mask, access.what);
}

/* Checks, watches and makes a store: `in` has the first elements of all lanes, then the second … */
void vg_watch_store(VgWarp *warp, uint32_t mask, const uint8_t *in, const uint64_t *addresses, int32_t site,
                    int32_t element_bytes)
{
    size_t each = (size_t)element_bytes;
    vg_check(warp, mask, addresses, site);
    int watched = mask && warp->block->watch;
    Access access = watched ? access_of(warp, site) : (Access){.what = &warp->block->launch->sites[site]};
    const VgSite *what = access.what;
    EACH_ACTIVE(lane, mask) {
        uint8_t *to = (uint8_t *)(uintptr_t)addresses[lane];
        access.changes = 0;
        for (size_t i = 0; i < what->bytes / each; i++)
            access.changes |= memcmp(to + i * each, in + (i * LANES + lane) * each, each) != 0;
        if (watched)
            watch_lane(&access, lane, addresses[lane]);
        for (size_t i = 0; i < what->bytes / each; i++)
            memcpy(to + i * each, in + (i * LANES + lane) * each, each);
    }
    if (watched)
        end_access(warp, mask, what);
}

/* --- asynchronous copies ----------------------------------------------------------------------------------------- */

/* A lane accesses `bytes` in a row, of which the site names the first few. */
void vg_watch_row(VgWarp *warp, uint32_t lane, uint64_t address, uint64_t bytes, int32_t site)
{
    if (!warp->block->watch)
        return;
    Access access = access_of(warp, site);
    uint32_t step = access.what->bytes;
    for (uint64_t done = 0; done + step <= bytes; done += step)
        watch_lane(&access, lane, address + done);
    vg_watch_of(warp->block)->left--;
}

/* A lane accesses pieces of memory at once, each as large as the site says. */
void vg_watch_pieces(VgWarp *warp, uint32_t lane, const uint64_t *addresses, uint32_t count, int32_t site)
{
    if (!warp->block->watch)
        return;
    Access access = access_of(warp, site);
    for (uint32_t i = 0; i < count; i++)
        watch_lane(&access, lane, addresses[i]);
    vg_watch_of(warp->block)->left--;
}

void vg_watch_landed(VgWarp *warp, uint32_t lane, uint64_t destination, uint32_t bytes)
{
    const VgBlock *block = vg_shared_holder(warp->block, destination);
    if (!block || !block->watch)
        return;
    uint64_t offset = destination - (uint64_t)(uintptr_t)block->shared;
    unsigned shift = vg_watch_of(block)->shared_shift;
    for (uint64_t i = offset >> shift; i <= (offset + bytes - 1) >> shift; i++) {
        VgMark *write = &block->watch->cells[i].write;
        int is_ours = write->block == (uint32_t)warp->block->index && write->warp == warp->index;
        if (write->in_flight && is_ours && write->lanes >> lane & 1) {
            write->in_flight = 0;
            write->stamp = vg_watch_of(block)->now;
        }
    }
}
