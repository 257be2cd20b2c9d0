/* What bulk copies of rows and of parts of tensors share. */
#ifndef VG_BULK_H
#define VG_BULK_H

#include "async.h"
#include "runtime.h"

enum { UNIT = 16 };

/* Why an instruction is refused: a fault's `detail`, as faults.py says it. */
enum { VG_ODD_SIZE = -1, VG_ELSEWHERE = -2, VG_RANK = -3, VG_NO_MAP = -4, VG_UNALIGNED_BOX = -5, VG_OTHER_RANK = -6,
       VG_ARRIVED_TWICE = -7, VG_BAD_METADATA = -8,
       VG_BAD_MAP = -9, VG_OTHER_MODE = -10, VG_OUTSIDE_BOX = -11, VG_BOX_BEYOND = -12 };

/* Checks, watches and counts one lane's access to a row of bytes by the copy unit. */
void vg_row_begin(VgWarp *warp, uint32_t lane, uint64_t address, uint64_t bytes, int32_t site);
void vg_row_count(VgWarp *warp, uint64_t address, uint64_t bytes, int32_t site);

/* A copy's barrier must be in the block that it copies to. */
void vg_check_barrier(VgWarp *warp, const Bulk *bulk);

/* The same copy to the same places of another block; the ranks, which must be those of blocks of the cluster. */
Bulk vg_bulk_of_rank(VgWarp *warp, Bulk bulk, int rank);
uint32_t vg_check_ranks(VgWarp *warp, uint32_t lane, uint32_t ranks, int32_t line);

#endif
