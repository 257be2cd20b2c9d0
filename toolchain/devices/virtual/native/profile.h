/* A request's way into the counters: from lines of sectors to misses and footprints. */
#ifndef VG_PROFILE_H
#define VG_PROFILE_H

#include <string.h>

#include "l1.h"
#include "runtime.h"

#if defined(__BMI2__)
#include <immintrin.h>
#endif

#define SECTOR_SHIFT 5
#define LINE_SECTORS 4
#define LINE_SHIFT 7
#define CHUNK_LINES 64
#define GROUP_CHUNKS 64
#define WINDOW_LINES 16
#define VG_BANKS 32
#define VG_MOST_HOMES 64

enum { VG_SITE_REQUESTS, VG_SITE_LANES, VG_SITE_SECTORS, VG_SITE_MISSED_SECTORS, VG_SITE_LINES };

/* Memory of an allocation, or a block's local memory, and what the block did to its lines. The modelled L1 sees an
 * allocation at a place that depends only on how many the block met before, so that equal runs hit and miss alike
 * wherever memory lies. */
typedef struct {
    uint64_t first, lines, base; /* base: the allocation's first line */
    uint64_t moved;              /* what is added to the lines' numbers */
    int is_met, is_known; /* by the block; as memory that was allocated */
    /* of each line, a bit a sector: what L1 has, what is in the footprint, what the scattered request wants that is
     * being counted */
    uint8_t *held, *touched, *wanted;
    uint8_t *chunks, *groups; /* whether lines of a chunk are held or touched, or chunks of a group are marked so */
    size_t bytes;             /* of all of these, from `held` on */
} VgStretch;

/* A site as a sampled block meets it. */
typedef struct {
    uint64_t first, lines; /* of the stretch where it accessed memory last; 0 lines: it did not yet */
    const uint8_t *same;   /* of each line of it: sectors of which an access changes nothing */
    uint64_t sectors;      /* of whole warps that changed nothing */
    VgStretch *stretch;
    VgSite what;
    uint64_t requests_and_lines; /* as `sectors`; requests from bit 32 on */
    int64_t *counters;
    int32_t is_cached; /* whether L1 keeps what it accesses: stores and atomics go past it */
} VgMetSite;

struct VgProfile {
    VgL1 l1;
    VgStretch **stretches; /* in ascending order */
    size_t count, room;
    uint64_t homes[VG_MOST_HOMES]; /* the first lines of the allocations that the block met, in that order */
    unsigned met;
    VgMetSite *sites;
    int64_t number;
};

/* One warp-wide access being counted. */
typedef struct {
    VgBlock *block;
    VgProfile *profile;
    const VgMetSite *site;
    VgStretch *stretch; /* of its first lane */
} VgRequest;

/* The stretch of memory that has an address. */
VgStretch *vg_find_stretch(const VgBlock *block, uint64_t address);

void vg_free_stretch(VgStretch *stretch);

/* Has the block meet a stretch, unless it did. */
void vg_meet(VgProfile *profile, VgStretch *stretch);

/* As `vg_find_stretch`, of a site's access. */
static inline VgStretch *vg_stretch_of(const VgBlock *block, VgMetSite *site, uint64_t address)
{
    if ((address >> LINE_SHIFT) - site->first >= site->lines) {
        site->stretch = vg_find_stretch(block, address);
        site->first = site->stretch->first;
        site->lines = site->stretch->lines;
        site->same = site->is_cached ? site->stretch->held : site->stretch->touched;
    }
    return site->stretch;
}

/* Remembers that a line is held or touched. */
static inline void vg_note_changed(const VgStretch *stretch, uint64_t place)
{
    stretch->chunks[place / CHUNK_LINES] = 1;
    stretch->groups[place / CHUNK_LINES / GROUP_CHUNKS] = 1;
}

/* Adds sectors of a line to the footprint. */
static inline void vg_touch(const VgStretch *stretch, uint64_t place, unsigned sectors)
{
    stretch->touched[place] |= (uint8_t)sectors;
    vg_note_changed(stretch, place);
}

/* The sectors of a line that L1 has to bring in, and does. */
static inline unsigned vg_fetch(VgProfile *profile, unsigned sets, const VgStretch *stretch, uint64_t place,
                                unsigned sectors)
{
    unsigned held = stretch->held[place];
    vg_l1_make_room(&profile->l1, sets, stretch->first + place + stretch->moved, stretch->held + place, !held);
    stretch->held[place] = (uint8_t)(held | sectors);
    return sectors & ~held;
}

/* Accesses sectors of a line, the `place`-th of a stretch that was met; those that L1 had to bring in, or does not
 * keep. What was missed is in the footprint, which has no local memory. */
static inline unsigned vg_access_line(const VgRequest *request, VgStretch *stretch, uint64_t place, unsigned sectors)
{
    VgProfile *profile = request->profile;
    unsigned missed = sectors;
    if (request->site->is_cached)
        missed = vg_fetch(profile, profile->l1.sets, stretch, place, sectors);
    if (missed)
        vg_touch(stretch, place, request->site->what.space != VG_LOCAL ? sectors : 0);
    return missed;
}

/* A byte for each four bits. */
static inline uint64_t vg_spread(uint32_t bits)
{
#if defined(__BMI2__)
    return _pdep_u64(bits, UINT64_C(0x0f0f0f0f0f0f0f0f));
#else
    uint64_t spread = (bits | (uint64_t)bits << 16) & UINT64_C(0x0000ffff0000ffff);
    spread = (spread | spread << 8) & UINT64_C(0x00ff00ff00ff00ff);
    return (spread | spread << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
#endif
}

/* How many lines have a sector among the bits. */
static inline int vg_lines_of(uint64_t bits)
{
    bits |= bits >> 1;
    bits |= bits >> 2;
    return __builtin_popcountll(bits & UINT64_C(0x1111111111111111));
}

/* Sectors of eight lines. Beyond its lines a stretch has none. */
static inline uint64_t vg_eight(const uint8_t *lines)
{
    uint64_t eight;
    memcpy(&eight, lines, sizeof eight);
    return eight;
}

/* Counts the access of sectors whose `bits` are set, bit 0 for sector `low`, the first of a line. */
void vg_access_bits(const VgRequest *request, uint64_t low, uint64_t bits);

/* The same, where that surely changes something. */
void vg_change_bits(const VgRequest *request, uint64_t low, uint64_t bits);

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
