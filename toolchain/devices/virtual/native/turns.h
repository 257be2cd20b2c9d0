/* How the warps of a block take turns. */
#ifndef VG_TURNS_H
#define VG_TURNS_H

#include "residents.h"

/* Runs a block's warps that can run; whether one got to a barrier or its end, or was released. A counted block, whose
 * time slices are short, has as many more turns beside others; not beyond a barrier, so that it is never ahead. */
int vg_run_turn(VgBlock *block);

/* A warp of the block whose last time slice ended in polling for `whom`, as of VG_POLLS_ANY. */
VgWarp *vg_polling_in(const VgBlock *block, uint32_t whom);

/* Ends the launch where a warp is. */
void vg_end_in_vain(const VgWarp *warp, int kind, int detail) __attribute__((noreturn));
/* A thread of a launch begins; and ends it where it has taken too long. */
void vg_begin_time(void);
void vg_check_time(const VgWarp *warp);

#endif
