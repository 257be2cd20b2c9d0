/* One lane's watched access, and what it does to one cell of memory. */
#ifndef VG_ACCESS_H
#define VG_ACCESS_H

#include "watch.h"

/* One lane's access. */
typedef struct {
    VgWarp *warp;
    uint32_t lane;
    int32_t site;
    const VgSite *what;
    uint64_t address;
    const VgAllocation *home; /* NULL for shared memory */
    const VgBlock *holder;    /* of the shared memory */
    uint32_t base;            /* the first stamp that counts for this memory */
    int changes;              /* whether a write changes what is there */
    VgMark mark;              /* what it leaves behind */
    const VgAllocation *last; /* where the lane before was */
} Access;

/* `doubtful`: nothing may come of it. */
void vg_note(const Access *access, int kind, const VgMark *other, int doubtful);

static inline int counts(const Access *access, const VgMark *mark) { return mark->stamp >= access->base; }

static inline int is_race(const Access *access, const VgMark *mark)
{
    return counts(access, mark) && !(mark->strong && access->what->strong)
           && !vg_is_ordered(access->warp, access->lane, mark);
}

static inline int is_same_warp(const Access *access, const VgMark *mark)
{
    return mark->block == (uint32_t)access->warp->block->index && mark->warp == access->warp->index;
}

static inline void put(VgMark *place, VgMark mark)
{
    int together = place->stamp == mark.stamp && place->site == mark.site && place->warp == mark.warp
                   && place->block == mark.block;
    if (together) {
        mark.lanes |= place->lanes;
        mark.same &= place->same;
    }
    *place = mark;
}

static inline int is_set(const Access *access, const VgCell *cell)
{
    return counts(access, &cell->write) || counts(access, &cell->update);
}

/* Whether an access is at odds with an earlier write; a read is not with one that changed nothing. */
static inline int check_writers(const Access *access, const VgCell *cell)
{
    int reads = access->what->kind == VG_LOAD || access->what->kind == VG_LDMATRIX;
    const VgMark *writers[] = {&cell->write, &cell->update};
    for (int i = 0; i < 2; i++) {
        int in_flight = writers[i]->in_flight && counts(access, writers[i]);
        if (access->what->constant && counts(access, writers[i]) && !writers[i]->same) {
            vg_note(access, VG_FAULT_STALE, writers[i], 0);
            return 1;
        }
        if (in_flight || (!(reads && writers[i]->same) && is_race(access, writers[i]))) {
            vg_note(access, in_flight ? VG_FAULT_IN_FLIGHT : VG_FAULT_RACE, writers[i], 0);
            return 1;
        }
    }
    return 0;
}

static inline void check_read(const Access *access, const VgCell *cell)
{
    if (!check_writers(access, cell) && !access->home && !is_set(access, cell) && !access->what->replaces)
        vg_note(access, VG_FAULT_UNINITIALISED, NULL, 1);
}

static inline void read_cell(const Access *access, VgCell *cell)
{
    check_read(access, cell);
    if (!is_same_warp(access, &cell->read))
        cell->other = cell->read;
    put(&cell->read, access->mark);
}

/* Lanes of one warp run in step, so that one may count on reading before another writes. */
static inline void check_readers(const Access *access, const VgCell *cell)
{
    const VgMark *readers[] = {&cell->read, &cell->other};
    for (int i = 0; i < 2; i++)
        if (is_race(access, readers[i]))
            vg_note(access, VG_FAULT_RACE, readers[i], is_same_warp(access, readers[i]));
}

static inline void write_cell(const Access *access, VgCell *cell, int in_flight)
{
    int changes = access->changes || (!access->home && !is_set(access, cell));
    if (changes && !check_writers(access, cell))
        check_readers(access, cell);
    VgMark mark = access->mark;
    mark.in_flight = in_flight != 0;
    mark.same = !changes;
    put(access->what->strong ? &cell->update : &cell->write, mark);
}

static inline void update_cell(const Access *access, VgCell *cell)
{
    check_read(access, cell);
    check_readers(access, cell);
    put(&cell->update, access->mark);
}

static inline void touch(const Access *access, VgCell *cell)
{
    switch (access->what->kind) {
    case VG_STORE:
        write_cell(access, cell, 0);
        break;
    case VG_ATOMIC:
        if (access->what->barrier)
            put(&cell->update, access->mark);
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

#endif
