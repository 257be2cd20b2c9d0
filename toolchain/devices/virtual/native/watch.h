/* What a watched launch remembers: who accessed which memory last, and what is ordered before what.
 * Watched blocks run on one thread; time is counted in stamps, one more whenever threads are ordered. */
#ifndef VG_WATCH_H
#define VG_WATCH_H

#include <pthread.h>

#include "runtime.h"

enum { VG_MOST_NOTED = 16, VG_NO_ACCESS = -1 };

/* Some lanes' access by one instruction. */
typedef struct {
    uint32_t stamp; /* when; before the memory's first stamp: never */
    uint32_t lanes;
    uint32_t block;
    uint16_t site;
    uint8_t warp, strong : 1, in_flight : 1, same : 1; /* same: the write changed nothing */
} VgMark;

/* The smallest piece of memory that one lane accesses: its last plain write, its last strong one (atomic, volatile
 * …), and its last readers of two warps. */
typedef struct {
    VgMark write, update, read, other;
} VgCell;

/* Of one launch. */
struct VgWatch {
    uint32_t now;
    int64_t left;                  /* warp-wide accesses until further blocks go unwatched */
    size_t cells_left;             /* that allocations not met yet may have */
    unsigned shared_shift, global_shift; /* of a cell's size */
    int fenced;                    /* whether atomics and strong accesses order others: the kernel has fences */
    uint32_t *released, *acquired; /* of each block, where `fenced` */
    int32_t noted;
    pthread_t watcher; /* whose blocks are watched: nothing here is for several threads */
    VgFault faults[VG_MOST_NOTED];
};

/* Of one resident block; `warps` rows and columns. */
struct VgBlockWatch {
    uint32_t base;      /* stamp at which the block began */
    uint32_t *known;    /* [of][to]: accesses of warp `of` up to this stamp come before what warp `to` does next */
    uint32_t *arrived;  /* [barrier][of]: what those who arrived at a barrier bring */
    uint32_t *together; /* when the lanes of each warp last waited for each other */
    uint32_t *released, *acquired; /* by atomics and mbarriers, of each warp */
    uint32_t *strays;   /* lanes of each warp that went on while others were at a barrier for all of them */
    VgCell *cells;      /* of shared memory */
};

/* What an allocation's bytes went through. */
struct VgShadow {
    uint8_t *written; /* of each byte, where that is known */
    VgCell *cells;    /* of a watched launch */
};

static inline VgWatch *vg_watch_of(const VgBlock *block) { return block->launch->watch; }

/* Whether what `mark` says came before what this lane does now. */
int vg_is_ordered(const VgWarp *warp, uint32_t lane, const VgMark *mark);

/* Notes that lanes passed by a barrier. */
void vg_note_stray(VgWarp *warp, uint32_t strays, uint32_t at_barrier);

#endif
