/* What sparse products of a warp and of a warp group share: sixteen rows of A of which half is stored. */
#ifndef VG_SPARSE_H
#define VG_SPARSE_H

#include "fragment.h"

enum { SPARSE_COLUMNS = 8, MAX_DEPTH = 128, MAX_KEPT = MAX_DEPTH / 2 };
enum { SUM_F32, SUM_F16, SUM_S32, SUM_S32_SATURATED };

/* What the instruction says. */
typedef struct {
    int32_t a, b, depth; /* types, numbered like `SPARSE_TYPES` in isa/sparse.py; elements along K */
    int32_t selector;    /* which lanes of four bring the metadata */
    int32_t sum, line;
} SparseManner;

/* A as it is stored, from four registers at most. */
void vg_unpack_kept(float kept[ROWS][MAX_KEPT], const uint32_t (*a)[LANES], const SparseManner *manner);

/* D += A B for eight columns of registers of B; sums as the manner says. */
void vg_sparse_tile(VgWarp *warp, uint32_t (*d)[LANES], const uint32_t (*c)[LANES], const float kept[ROWS][MAX_KEPT],
                    const uint32_t (*b)[LANES], const uint32_t metadata[LANES], const SparseManner *manner, float sign);

#endif
