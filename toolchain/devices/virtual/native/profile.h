/* A request's way into the counters: from lines of sectors to misses and footprints. */
#ifndef VG_PROFILE_H
#define VG_PROFILE_H

#include "l1.h"
#include "runtime.h"

#define SECTOR_SHIFT 5
#define LINE_SECTORS 4

enum { REQUESTS, LANES, SECTORS, MISSED_SECTORS, LINES };

struct VgProfile {
    VgL1 l1;
    int64_t number;
    struct VgPage **pages; /* open addressing by number; null: empty */
    size_t used, capacity;
    struct VgPage *latest;
};

/* One warp-wide access being counted. */
typedef struct {
    VgProfile *profile;
    int64_t *counters;
    int kind, keeps_footprint;
} VgRequest;

void vg_touch(VgProfile *profile, uint64_t line, unsigned sectors);

/* Counts the touched sectors of one line, bit 0 the first; stores and atomics go past L1. */
static inline void vg_access_line(const VgRequest *request, uint64_t line, unsigned sectors)
{
    int loads = request->kind == VG_LOAD || request->kind == VG_ASYNC_COPY;
    unsigned missed = loads ? vg_l1_fetch(&request->profile->l1, line, sectors) : sectors;
    request->counters[SECTORS] += __builtin_popcount(sectors);
    request->counters[LINES]++;
    if (!missed)
        return;
    request->counters[MISSED_SECTORS] += __builtin_popcount(missed);
    if (request->keeps_footprint)
        vg_touch(request->profile, line, sectors);
}

#endif
