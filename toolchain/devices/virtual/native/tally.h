/* What single warps and blocks issue, by basic block. */
#ifndef VG_TALLY_H
#define VG_TALLY_H

#include "residents.h"

/* Whether a block's warps change at every back edge: counted blocks, and some others that nobody can foresee, so that
 * the order of its warps tells a block nothing. */
int vg_takes_turns(const VgLaunch *launch, int64_t index, int64_t number);

/* Gives each warp of a sampled block, or the block that is none, counters of its own where they are wanted. */
void vg_tally_begin(const VgHome *home, VgBlock *block);

/* Adds those of a block that came to its end to the worker's. */
void vg_tally_end(VgHome *home, const VgBlock *block);

/* Adds the worker's to the launch's. */
void vg_tally_add(const VgHome *home);

/* Warp instructions that a block has issued. */
int64_t vg_tally_issued(const VgBlock *block);

#endif
