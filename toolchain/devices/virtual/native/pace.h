/* How long resident blocks take beside each other, and what they wait for. */
#ifndef VG_PACE_H
#define VG_PACE_H

#include "residents.h"

/* Gives the launch clocks, where it has cycles of basic blocks; takes them away, and says what they showed. */
void vg_pace_begin(VgLaunch *launch);
void vg_pace_end(VgLaunch *launch);

/* A block takes the place that is free first, or a new one; it leaves its place when it ends. */
void vg_pace_enter(VgBlock *block);
void vg_pace_leave(VgBlock *block);

/* The time up to which blocks that work may run now: that of the one which is furthest behind. */
void vg_pace_look(VgLaunch *launch, VgBlock *const *blocks, int count);

/* Whether it is a block's turn: it is not ahead of the others, or waits. */
int vg_pace_is_due(const VgBlock *block);

/* Whether some block did more than to poll when it was its turn. */
int vg_pace_goes_on(VgBlock *const *blocks, int count);

/* Around a round of a block's warps, and around the time slice of each. */
void vg_pace_begin_round(VgBlock *block);
void vg_pace_end_round(VgBlock *block);
void vg_pace_begin_slice(VgBlock *block, VgWarp *warp);
void vg_pace_end_slice(VgBlock *block, VgWarp *warp, uint32_t result);

#endif
