/* A request's way into the counters: from lines of sectors to misses and footprints. */
#ifndef VG_PROFILE_H
#define VG_PROFILE_H

#include "l1.h"
#include "runtime.h"

#define SECTOR_SHIFT 5
#define LINE_SECTORS 4
#define LATEST_PAGES 8

enum { VG_SITE_REQUESTS, VG_SITE_LANES, VG_SITE_SECTORS, VG_SITE_MISSED_SECTORS, VG_SITE_LINES };

struct VgProfile {
    VgL1 l1;
    int64_t number;
    struct VgPage **pages; /* open addressing by number; null: empty */
    size_t used, capacity;
    struct VgPage *latest[LATEST_PAGES]; /* by number */
};

/* One warp-wide access being counted. */
typedef struct {
    VgProfile *profile;
    int64_t *counters;
    int kind, keeps_footprint;
} VgRequest;

void vg_touch(VgProfile *profile, uint64_t line, unsigned sectors);

/* Counts the touched sectors of one line, bit 0 the first; those missing. Stores and atomics go past L1. */
static inline unsigned vg_count_line(const VgRequest *request, uint64_t line, unsigned sectors)
{
    int loads = request->kind == VG_LOAD || request->kind == VG_ASYNC_COPY;
    unsigned missed = loads ? vg_l1_fetch(&request->profile->l1, line, sectors) : sectors;
    request->counters[VG_SITE_SECTORS] += __builtin_popcount(sectors);
    request->counters[VG_SITE_MISSED_SECTORS] += __builtin_popcount(missed);
    request->counters[VG_SITE_LINES]++;
    return missed;
}

/* As `vg_count_line`, with what was missing in the footprint. */
static inline void vg_access_line(const VgRequest *request, uint64_t line, unsigned sectors)
{
    if (vg_count_line(request, line, sectors) && request->keeps_footprint)
        vg_touch(request->profile, line, sectors);
}

#endif
