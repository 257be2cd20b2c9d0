/* Which accesses of a watched launch come before which: block barriers exactly (by vector clocks of warps),
 * atomics, strong accesses and mbarriers generously, by when warps last released and acquired anything. */
#include <stdlib.h>
#include <string.h>

#include "watch.h"

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

static size_t words_of(int warps) { return (size_t)warps * (size_t)(warps + VG_BARRIERS + 4); }

static size_t cells_of(const VgBlock *block)
{
    return (block->shared_bytes >> vg_watch_of(block)->shared_shift) + 1;
}

static VgBlockWatch *watch_new(const VgBlock *block)
{
    size_t warps = (size_t)block->warps;
    VgBlockWatch *watch = calloc(1, sizeof *watch);
    watch->known = calloc(words_of(block->warps), sizeof *watch->known);
    watch->arrived = watch->known + warps * warps;
    watch->together = watch->arrived + warps * VG_BARRIERS;
    watch->released = watch->together + warps;
    watch->acquired = watch->released + warps;
    watch->strays = watch->acquired + warps;
    watch->cells = calloc(cells_of(block), sizeof *watch->cells);
    return watch;
}

void vg_watch_block_begin(VgBlock *block)
{
    VgWatch *watch = vg_watch_of(block);
    block->watch = NULL;
    if (!watch || watch->left <= 0 || !pthread_equal(watch->watcher, pthread_self()))
        return;
    if (!block->kept_watch)
        block->kept_watch = watch_new(block);
    block->watch = block->kept_watch;
    block->watch->base = ++watch->now;
    memset(block->watch->known, 0, words_of(block->warps) * sizeof *block->watch->known);
}

void vg_watch_block_free(VgBlock *block)
{
    if (!block->kept_watch)
        return;
    free(block->kept_watch->known);
    free(block->kept_watch->cells);
    free(block->kept_watch);
}

static uint32_t *row(uint32_t *table, const VgBlock *block, uint32_t index)
{
    return table + (size_t)index * (size_t)block->warps;
}

/* A warp comes to a barrier, and brings what it knows. */
void vg_watch_arrive(VgBlock *block, uint32_t warp, uint32_t barrier)
{
    if (!block->watch)
        return;
    uint32_t *arrived = row(block->watch->arrived, block, barrier), *known = row(block->watch->known, block, warp);
    for (int i = 0; i < block->warps; i++)
        arrived[i] = later(arrived[i], known[i]);
    arrived[warp] = vg_watch_of(block)->now++;
}

/* A warp leaves a barrier, and knows what all have brought. */
void vg_watch_leave(VgBlock *block, uint32_t warp, uint32_t barrier)
{
    if (!block->watch)
        return;
    uint32_t *arrived = row(block->watch->arrived, block, barrier), *known = row(block->watch->known, block, warp);
    for (int i = 0; i < block->warps; i++)
        known[i] = later(known[i], arrived[i]);
    block->watch->together[warp] = vg_watch_of(block)->now++;
}

/* All who were to leave a barrier have left it. */
void vg_watch_reset(VgBlock *block, uint32_t barrier)
{
    if (block->watch)
        memset(row(block->watch->arrived, block, barrier), 0, (size_t)block->warps * sizeof(uint32_t));
}

/* Lanes that went on while others of their warp waited at a barrier for all of them, and never came to it. */
void vg_watch_strays(VgBlock *block, uint32_t warp, uint32_t at_barrier)
{
    if (!block->watch)
        return;
    uint32_t strays = block->watch->strays[warp] & ~at_barrier;
    block->watch->strays[warp] = 0;
    if (strays && at_barrier)
        vg_note_stray(vg_warp_of(block, (int)warp), strays, at_barrier);
}

/* The lanes of a warp waited for each other. */
void vg_watch_warp(VgWarp *warp, uint32_t mask)
{
    if (mask && warp->block->watch)
        warp->block->watch->together[warp->index] = vg_watch_of(warp->block)->now++;
}

/* A warp made known what it did, and may have learnt what others made known. */
void vg_watch_exchange(VgWarp *warp)
{
    VgBlock *block = warp->block;
    if (!block->watch)
        return;
    VgWatch *watch = vg_watch_of(block);
    block->watch->released[warp->index] = block->watch->acquired[warp->index] = watch->now;
    if (watch->released)
        watch->released[block->index] = watch->acquired[block->index] = watch->now;
    watch->now++;
}

/* Whether warp `from` made known what it did then, and warp `to` learnt of something later. */
static int is_exchanged(const VgBlockWatch *watch, uint32_t from, uint32_t to, const VgMark *mark)
{
    return watch->released[from] >= mark->stamp && watch->acquired[to] > mark->stamp;
}

int vg_is_ordered(const VgWarp *warp, uint32_t lane, const VgMark *mark)
{
    const VgBlock *block = warp->block;
    const VgBlockWatch *watch = block->watch;
    if (mark->block != (uint32_t)block->index) {
        const VgWatch *all = vg_watch_of(block);
        if (all->fenced && !(all->released && all->acquired))
            return 1; /* too many blocks to tell */
        return all->released && all->released[mark->block] >= mark->stamp
               && all->acquired[block->index] > mark->stamp;
    }
    if (mark->warp == warp->index)
        return (mark->lanes >> lane & 1) || watch->together[warp->index] >= mark->stamp
               || is_exchanged(watch, warp->index, warp->index, mark);
    if (watch->known[(size_t)warp->index * (size_t)block->warps + mark->warp] >= mark->stamp)
        return 1;
    return is_exchanged(watch, mark->warp, warp->index, mark);
}
