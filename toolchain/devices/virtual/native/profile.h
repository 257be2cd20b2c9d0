/* A request's way into the counters: from lines of sectors to misses and footprints. */
#ifndef VG_PROFILE_H
#define VG_PROFILE_H

#include "l1.h"
#include "runtime.h"

#define SECTOR_SHIFT 5
#define LINE_SECTORS 4
#define LINE_SHIFT 7
#define LATEST_PAGES 8
#define VG_PAGE_SECTORS 2048
#define VG_PAGE_WORDS (VG_PAGE_SECTORS / 64)
#define VG_MOST_HOMES 64
#define VG_BANKS 32

enum { VG_SITE_REQUESTS, VG_SITE_LANES, VG_SITE_SECTORS, VG_SITE_MISSED_SECTORS, VG_SITE_LINES };

/* An allocation, or a block's local memory, that was met: the modelled L1 sees it at a place that depends only on how
 * many were met before, so that equal runs hit and miss alike wherever their memory lies. */
typedef struct {
    uint64_t first, lines, moved; /* moved: what is added to its lines' numbers */
} VgHomeLines;

/* A site as a sampled block meets it. */
typedef struct {
    VgHomeLines home; /* where it accessed memory last */
    int64_t *counters;
    VgSite what;
    int32_t is_cached; /* whether L1 keeps what it accesses: stores and atomics go past it */
} VgMetSite;

/* Which sectors of an aligned stretch of memory were touched. */
struct VgPage {
    uint64_t number;
    struct VgPage *next; /* among those that are not in use */
    uint64_t touched[VG_PAGE_WORDS];
};

struct VgProfile {
    VgL1 l1;
    VgHomeLines homes[VG_MOST_HOMES];
    unsigned home_count;
    VgMetSite *sites;
    int64_t number;
    struct VgPage **pages; /* open addressing by number; null: empty */
    size_t used, capacity;
    struct VgPage *latest[LATEST_PAGES]; /* by number */
    struct VgPage *unused;               /* kept from blocks before */
};

/* One warp-wide access being counted. */
typedef struct {
    VgProfile *profile;
    const VgMetSite *site;
    uint64_t moved; /* as of VgHomeLines */
} VgRequest;

struct VgPage *vg_turn_to(VgProfile *profile, uint64_t number);

/* Adds sectors of a line to the footprint. */
static inline void vg_touch(VgProfile *profile, uint64_t line, unsigned sectors)
{
    uint64_t first = line * LINE_SECTORS, number = first / VG_PAGE_SECTORS;
    struct VgPage *page = profile->latest[number % LATEST_PAGES];
    if (!page || page->number != number)
        page = vg_turn_to(profile, number);
    page->touched[first % VG_PAGE_SECTORS / 64] |= (uint64_t)sectors << first % 64;
}

/* Finds or remembers where an address's memory is seen. */
uint64_t vg_find_home(const VgBlock *block, VgMetSite *site, uint64_t address);

static inline int vg_is_at_home(const VgMetSite *site, uint64_t address)
{
    return (address >> LINE_SHIFT) - site->home.first < site->home.lines;
}

/* What is added to the numbers of lines by an access that begins at `address`. */
static inline uint64_t vg_moved(const VgBlock *block, VgMetSite *site, uint64_t address)
{
    return vg_is_at_home(site, address) ? site->home.moved : vg_find_home(block, site, address);
}

/* The sectors of a line, bit 0 the first, that L1 has to bring in, or does not keep. */
static inline unsigned vg_missed(const VgRequest *request, uint64_t line, unsigned sectors)
{
    return request->site->is_cached ? vg_l1_fetch(&request->profile->l1, line + request->moved, sectors) : sectors;
}

/* Counts the touched sectors of one line; what was missing is in the footprint, which has no local memory. */
static inline void vg_access_line(const VgRequest *request, uint64_t line, unsigned sectors)
{
    const VgMetSite *site = request->site;
    unsigned missed = vg_missed(request, line, sectors);
    site->counters[VG_SITE_SECTORS] += __builtin_popcount(sectors);
    site->counters[VG_SITE_MISSED_SECTORS] += __builtin_popcount(missed);
    site->counters[VG_SITE_LINES]++;
    if (missed && site->what.space != VG_LOCAL)
        vg_touch(request->profile, line, sectors);
}

/* As `vg_access_line` of each line of which `bits` are set, bit 0 for sector `low`, the first of a line. */
static inline void vg_access_bits(const VgRequest *request, uint64_t low, uint64_t bits)
{
    for (uint64_t line = low / LINE_SECTORS; bits; bits >>= LINE_SECTORS, line++)
        if (bits & 15)
            vg_access_line(request, line, bits & 15);
}

/* Counts an access of `bytes` a lane whose lanes `mask` lie anywhere. */
void vg_count_scattered(const VgRequest *request, uint32_t mask, const uint64_t *addresses, unsigned bytes);

/* The lowest and the highest of some units of memory. */
typedef struct {
    uint64_t low, high;
} VgSpan;

/* Whether sectors fit into the bits of one number, from the first of a line on. */
static inline int vg_is_window(VgSpan span)
{
    return span.high < span.low || span.high - (span.low & ~(uint64_t)(LINE_SECTORS - 1)) < 64;
}

/* Whether an access goes to shared memory, of this block or of another of its cluster. */
static inline int vg_in_shared(const VgBlock *block, int space, uint64_t address)
{
    return space == VG_SHARED || space == VG_CLUSTER || (space == VG_GENERIC && vg_shared_holder(block, address));
}

/* A site's counters, of this worker. */
static inline int64_t *vg_counters_of(const VgLaunch *launch, int32_t site)
{
    (void)launch;
    return vg_site_counters + VG_SITE_COLUMNS * site;
}

#endif
