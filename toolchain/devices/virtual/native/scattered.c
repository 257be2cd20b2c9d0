/* What requests cost whose lanes lie anywhere: first their distinct lines are found, each with all of its sectors, then
 * L1 is asked for one after another. */
#include "profile.h"

#include "vectors.h"

/* The distinct lines of one request in a stretch, in the order in which they were met: their places there. */
typedef struct {
    uint64_t place[2 * VG_LANES + 1]; /* and room for one that turns out to be known */
} Lines;

/* Wants a sector of a line; how many lines there are then. */
static inline int want(Lines *lines, int count, const VgStretch *stretch, uint64_t place, unsigned sector)
{
    uint8_t *wanted = stretch->wanted + place;
    int is_new = !*wanted;
    lines->place[count] = place;
    *wanted |= (uint8_t)sector;
    return count + is_new;
}

/* Takes what is wanted of a line, and adds it to the footprint; which sectors that are. */
static inline unsigned take(const VgStretch *stretch, uint64_t place, int keeps_footprint)
{
    unsigned wanted = stretch->wanted[place];
    stretch->wanted[place] = 0;
    vg_touch(stretch, place, keeps_footprint ? wanted : 0);
    return wanted;
}

/* `is_cached`, `keeps_footprint`: of the site. */
static inline __attribute__((always_inline)) void access_as(const VgRequest *request, const VgStretch *stretch,
                                                            const Lines *lines, int count, int is_cached,
                                                            int keeps_footprint)
{
    int64_t *counters = request->site->counters;
    VgProfile *profile = request->profile;
    const unsigned sets = profile->l1.sets;
    int sectors = 0, missed = 0;
    for (int i = 0; i < count; i++) {
        unsigned wanted = take(stretch, lines->place[i], keeps_footprint);
        sectors += __builtin_popcount(wanted);
        if (is_cached)
            missed += __builtin_popcount(vg_fetch(profile, sets, stretch, lines->place[i], wanted));
    }
    counters[VG_SITE_SECTORS] += sectors;
    counters[VG_SITE_MISSED_SECTORS] += is_cached ? missed : sectors;
    counters[VG_SITE_LINES] += count;
}

/* Each way by itself: what is known there need not be looked at line by line. */
static inline void access_wanted(const VgRequest *request, const VgStretch *stretch, const Lines *lines, int count)
{
    int keeps_footprint = request->site->what.space != VG_LOCAL;
    if (request->site->is_cached && keeps_footprint)
        access_as(request, stretch, lines, count, 1, 1);
    else
        access_as(request, stretch, lines, count, request->site->is_cached, keeps_footprint);
}

/* Lanes that access one sector each. */
static inline int want_one(Lines *lines, const VgStretch *stretch, uint32_t mask, const uint64_t *addresses)
{
    int count = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t address = addresses[__builtin_ctz(mask)], place = (address >> LINE_SHIFT) - stretch->first;
        __builtin_prefetch((const void *)(uintptr_t)address); /* it is loaded next */
        count = want(lines, count, stretch, place, 1u << (address >> SECTOR_SHIFT) % LINE_SECTORS);
    }
    return count;
}

/* Lanes that may access several. What is beyond the stretch is not allocated, nor counted. */
static int want_several(Lines *lines, const VgStretch *stretch, uint32_t mask, const uint64_t *addresses,
                        unsigned bytes)
{
    int count = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t address = addresses[__builtin_ctz(mask)], last = (address + bytes - 1) >> SECTOR_SHIFT;
        for (uint64_t sector = address >> SECTOR_SHIFT; sector <= last; sector++) {
            uint64_t place = sector / LINE_SECTORS - stretch->first;
            if (place < stretch->lines && (count < 2 * VG_LANES || stretch->wanted[place]))
                count = want(lines, count, stretch, place, 1u << sector % LINE_SECTORS);
        }
    }
    return count;
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
        vg_meet(request->profile, stretch);
        const VgStretch there = *stretch; /* of which no byte that is written can be a part */
        uint32_t lanes = lanes_in(&there, mask, addresses);
        Lines lines;
        int count = in_one_each ? want_one(&lines, &there, lanes, addresses)
                                : want_several(&lines, &there, lanes, addresses, bytes);
        access_wanted(request, &there, &lines, count);
        if ((mask &= ~lanes))
            stretch = vg_find_stretch(request->block, addresses[__builtin_ctz(mask)]);
    }
}
