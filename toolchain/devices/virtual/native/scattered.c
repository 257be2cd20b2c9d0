/* What requests cost whose lanes lie anywhere: first their distinct lines are found, each with all of its sectors, then
 * L1 is asked for one after another. */
#include "profile.h"

#include "vectors.h"

/* The distinct lines of one request in a stretch, in the order in which they were met: their places there. */
typedef struct {
    uint64_t place[2 * VG_LANES + 1]; /* and room for one that turns out to be known */
    int count;
} Lines;

static inline void want(Lines *lines, VgStretch *stretch, uint64_t place, unsigned sector)
{
    uint8_t *wanted = stretch->wanted + place;
    lines->place[lines->count] = place;
    lines->count += !*wanted;
    *wanted |= (uint8_t)sector;
}

/* Takes what is wanted of a line, and adds it to the footprint; which sectors that are. */
static inline unsigned take(VgStretch *stretch, uint64_t place, int keeps_footprint)
{
    unsigned wanted = stretch->wanted[place];
    stretch->wanted[place] = 0;
    vg_touch(stretch, place, keeps_footprint ? wanted : 0);
    return wanted;
}

static void access_wanted(const VgRequest *request, VgStretch *stretch, const Lines *lines)
{
    int64_t *counters = request->site->counters;
    int sectors = 0, missed = 0, keeps_footprint = request->site->what.space != VG_LOCAL;
    vg_meet(request->profile, stretch);
    for (int i = 0; i < lines->count; i++) {
        unsigned wanted = take(stretch, lines->place[i], keeps_footprint);
        sectors += __builtin_popcount(wanted);
        if (request->site->is_cached)
            missed += __builtin_popcount(vg_fetch(request->profile, stretch, lines->place[i], wanted));
    }
    counters[VG_SITE_SECTORS] += sectors;
    counters[VG_SITE_MISSED_SECTORS] += request->site->is_cached ? missed : sectors;
    counters[VG_SITE_LINES] += lines->count;
}

/* Lanes that access one sector each. */
static void want_one(Lines *lines, VgStretch *stretch, uint32_t mask, const uint64_t *addresses)
{
    for (; mask; mask &= mask - 1) {
        uint64_t address = addresses[__builtin_ctz(mask)];
        __builtin_prefetch((const void *)(uintptr_t)address); /* it is loaded next */
        want(lines, stretch, (address >> LINE_SHIFT) - stretch->first, 1u << (address >> SECTOR_SHIFT) % LINE_SECTORS);
    }
}

/* Lanes that may access several. What is beyond the stretch is not allocated, nor counted. */
static void want_several(Lines *lines, VgStretch *stretch, uint32_t mask, const uint64_t *addresses, unsigned bytes)
{
    for (; mask; mask &= mask - 1) {
        uint64_t address = addresses[__builtin_ctz(mask)], last = (address + bytes - 1) >> SECTOR_SHIFT;
        for (uint64_t sector = address >> SECTOR_SHIFT; sector <= last; sector++) {
            uint64_t place = sector / LINE_SECTORS - stretch->first;
            if (place < stretch->lines && (lines->count < 2 * VG_LANES || stretch->wanted[place]))
                want(lines, stretch, place, 1u << sector % LINE_SECTORS);
        }
    }
}

/* The lanes of `mask` whose addresses are in a stretch. */
static inline uint32_t lanes_in(const VgStretch *stretch, uint32_t mask, const uint64_t *addresses)
{
    uint32_t found = 0;
    for (int part = 0; part < VG_PARTS; part++) {
        VgPart place = (vg_part(addresses, part) >> LINE_SHIFT) - stretch->first;
        found |= (uint32_t)vg_set_lanes((VgPart)(place < vg_all(stretch->lines))) << VG_PART_LANES * part;
    }
    return found & mask;
}

void vg_count_scattered(const VgRequest *request, uint32_t mask, const uint64_t *addresses, unsigned bytes)
{
    int in_one_each = request->site->what.aligned && bytes <= 1u << SECTOR_SHIFT;
    for (VgStretch *stretch = request->stretch; mask;) {
        uint32_t lanes = lanes_in(stretch, mask, addresses);
        Lines lines;
        lines.count = 0;
        if (in_one_each)
            want_one(&lines, stretch, lanes, addresses);
        else
            want_several(&lines, stretch, lanes, addresses, bytes);
        access_wanted(request, stretch, &lines);
        if ((mask &= ~lanes))
            stretch = vg_find_stretch(request->block, addresses[__builtin_ctz(mask)]);
    }
}
