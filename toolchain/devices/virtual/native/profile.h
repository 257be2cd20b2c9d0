/* A request's way into the counters: from lines of sectors to misses and footprints. */
#ifndef VG_PROFILE_H
#define VG_PROFILE_H

#include "l1.h"
#include "runtime.h"

#define SECTOR_SHIFT 5
#define LINE_SECTORS 4
#define LINE_SHIFT 7
#define LATEST_PAGES 8
#define VG_MOST_HOMES 64

enum { VG_SITE_REQUESTS, VG_SITE_LANES, VG_SITE_SECTORS, VG_SITE_MISSED_SECTORS, VG_SITE_LINES };

/* An allocation, or a block's local memory, that was met: the modelled L1 sees it at a place that depends only on how
 * many were met before, so that equal runs hit and miss alike wherever their memory lies. */
typedef struct {
    uint64_t first, lines, moved; /* moved: what is added to its lines' numbers */
} VgHomeLines;

struct VgProfile {
    VgL1 l1;
    VgHomeLines homes[VG_MOST_HOMES];
    unsigned home_count;
    uint8_t *latest_home; /* of each site */
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
    uint64_t moved; /* as of VgHomeLines */
} VgRequest;

void vg_touch(VgProfile *profile, uint64_t line, unsigned sectors);

/* Finds or remembers where an address's memory is seen. */
uint64_t vg_find_home(VgWarp *warp, int32_t site, uint64_t address);

/* What is added to the numbers of lines by an access that begins at `address`. */
static inline uint64_t vg_moved(VgWarp *warp, int32_t site, uint64_t address)
{
    const VgProfile *profile = warp->block->profile;
    const VgHomeLines *home = &profile->homes[profile->latest_home[site]];
    return (address >> LINE_SHIFT) - home->first < home->lines ? home->moved : vg_find_home(warp, site, address);
}

/* Counts the touched sectors of one line, bit 0 the first; those missing. Stores and atomics go past L1. */
static inline unsigned vg_count_line(const VgRequest *request, uint64_t line, unsigned sectors)
{
    int loads = request->kind == VG_LOAD || request->kind == VG_ASYNC_COPY;
    unsigned missed = loads ? vg_l1_fetch(&request->profile->l1, line + request->moved, sectors) : sectors;
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
