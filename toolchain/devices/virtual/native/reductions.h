/* The reductions of bulk copies. */
#ifndef VG_REDUCTIONS_H
#define VG_REDUCTIONS_H

#include "lanes.h"

enum { ELEMENT_BITS = 4 };

/* Updates `bytes` in a row from `from` on with those at `to`. A reduction is its operation's number, and, in the
 * low bits, that of its element in tensor_map.h. Nothing where it does not exist, which is told by 0. */
int vg_reduce(VgWarp *warp, uint32_t reduction, uint64_t to, const uint8_t *from, uint32_t bytes);

#endif
