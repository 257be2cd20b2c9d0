/* When what blocks write is there for others to read. */
#ifndef VG_MEETING_H
#define VG_MEETING_H

#include "runtime.h"

enum { VG_MARKS = 1 << 16, VG_MOST_UPDATED = 4, VG_MOST_LOOKED = 32 };

/* A word of memory, or a line, and when it was written last. */
typedef struct {
    uint64_t key;
    int64_t time;
} VgTimeMark;

/* Room for a block on the GPU: when it is free, and the work of those that were there. */
typedef struct {
    int64_t free_at, busy;
    int is_taken;
} VgPlace;

/* What stood where somebody looked. */
typedef struct VgSeen {
    uint64_t address, value;
    uint32_t bytes;
} VgSeen;

/* Of a launch whose blocks have clocks, which one thread runs. */
struct VgPace {
    int64_t now, ended;
    int all_wait;
    VgPlace *places;
    int place_count, place_room;
    VgTimeMark *marks;
    int64_t latest; /* of the marks */
    int64_t longest, longest_work; /* cycles of the round in hand: of its longest slice, with waits and without */
    int is_vain, only_polls, polls_own;
    int is_woken; /* whether what its block waits for may have come since its last look: the next one acts on it */
    int64_t *row_before, *sites_before; /* counters when the slice in hand began */
    int may_be_vain; /* whether its warp has polled and changed nothing before it */
    int64_t met;   /* how many of the accesses that are still to be counted */
    int64_t shift; /* cycles that it waited for what it read */
    VgSeen updated[VG_MOST_UPDATED], looked[VG_MOST_LOOKED]; /* by atomics of the slice, by loads of the round */
    int updated_count, looked_count;
    int updates_own; /* atomics of the slice change what is the block's own */
    int64_t updated_at[VG_MOST_UPDATED];
};

/* Cycles of the code that the slice in hand has executed so far. */
int64_t vg_cycles_of_slice(const VgBlock *block);

/* Notes what lanes write, and waits for what they read, where a launch has clocks. */
void vg_meet_lanes(const VgWarp *warp, uint32_t mask, const uint64_t *addresses, int32_t number);
void vg_meet_pending(const VgBlock *block);

/* Marks what atomics of the slice in hand may have written: it was not in vain. */
void vg_meet_updates(VgPace *pace);

/* Whether there is something else by now; or, where there was no room for all of them, may be. */
int vg_has_changed(const VgSeen *seen, int count, int room);

#endif
