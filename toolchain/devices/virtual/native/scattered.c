/* What requests cost whose lanes lie anywhere: their distinct lines, found as L1 is asked for them or, where it is not
 * asked, by a small hash table. */
#include "profile.h"

#include <string.h>

#include "vectors.h"

enum { PLACES = 256 }; /* as many as eight bits can tell apart */

static void add_counts(const VgMetSite *site, int64_t sectors, int64_t missed, int64_t lines)
{
    site->counters[VG_SITE_SECTORS] += sectors;
    site->counters[VG_SITE_MISSED_SECTORS] += missed;
    site->counters[VG_SITE_LINES] += lines;
}

/* --- lanes that access several sectors, or past L1 ----------------------------------------------------------------- */

/* The distinct lines of one request, found by a small hash table. */
typedef struct {
    uint64_t line[2 * VG_LANES];
    uint8_t sectors[2 * VG_LANES], place[PLACES];
    int count;
} Lines;

static void add_sector(Lines *lines, uint64_t sector)
{
    uint64_t line = sector / LINE_SECTORS;
    unsigned slot = (unsigned)((line * 0x9e3779b97f4a7c15u) >> 56);
    while (lines->place[slot] && lines->line[lines->place[slot] - 1] != line)
        slot = (slot + 1) % PLACES;
    if (!lines->place[slot]) {
        if (lines->count == 2 * VG_LANES)
            return;
        lines->line[lines->count] = line;
        lines->sectors[lines->count] = 0;
        lines->place[slot] = (uint8_t)++lines->count;
    }
    lines->sectors[lines->place[slot] - 1] |= (uint8_t)(1u << sector % LINE_SECTORS);
}

static void count_lines(const VgRequest *request, const Lines *lines)
{
    int sectors = 0, missed = 0, keeps_footprint = request->site->what.space != VG_LOCAL;
    for (int i = 0; i < lines->count; i++) {
        unsigned touched = lines->sectors[i];
        missed += __builtin_popcount(vg_missed(request, lines->line[i], touched));
        sectors += __builtin_popcount(touched);
        if (keeps_footprint)
            vg_touch(request->profile, lines->line[i], touched);
    }
    add_counts(request->site, sectors, missed, lines->count);
}

static void count_hashed(const VgRequest *request, uint32_t mask, const uint64_t *addresses, unsigned bytes)
{
    Lines lines;
    uint64_t last = UINT64_MAX;
    memset(lines.place, 0, sizeof lines.place);
    lines.count = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t address = addresses[__builtin_ctz(mask)];
        uint64_t end = (address + bytes - 1) >> SECTOR_SHIFT;
        for (uint64_t sector = address >> SECTOR_SHIFT; sector <= end; sector++)
            if (sector != last)
                add_sector(&lines, last = sector);
    }
    count_lines(request, &lines);
}

/* --- lanes that access one sector each, through L1 ------------------------------------------------------------------ */

/* Where the lanes of a request are in L1, and what L1 calls their lines. */
typedef struct {
    uint64_t set[VG_LANES], tag[VG_LANES];
} __attribute__((aligned(64))) Places;

/* Lines of a request that L1 lost to others of it before it asked for more of their sectors. */
typedef struct {
    int count;
    uint32_t tag[VG_LANES];
    uint8_t held[VG_LANES], met[VG_LANES];
} Lost;

/* A lane's line in L1, or the way that it gets there. */
typedef struct {
    VgSet *set;
    uint32_t tag;
    unsigned way, is_there, held, met; /* the last two: sectors that L1 has, and that the request met before */
    int lost;                          /* its place among the lost lines, -1 where it is not one */
} Look;

static inline void find_places(Places *places, const VgRequest *request, const uint64_t *addresses)
{
    for (int part = 0; part < VG_PARTS; part++) {
        VgPart line = (vg_part(addresses, part) >> LINE_SHIFT) + request->moved;
        *(VgPart *)(places->set + VG_PART_LANES * part) = vg_l1_places(&request->profile->l1, line);
        *(VgPart *)(places->tag + VG_PART_LANES * part) = line + 1;
    }
}

/* A line is not in L1, and what has its place was met by the same request, or others were lost. A request asks for a
 * line once: whether this one was lost. If not, what has its place is lost where it was met. */
static __attribute__((noinline)) void look_among(Lost *lost, Look *look)
{
    for (int i = 0; i < lost->count; i++)
        if (lost->tag[i] == look->tag) {
            look->lost = i;
            look->held = lost->held[i];
            look->met = lost->met[i];
            return;
        }
    if (look->met) {
        lost->tag[lost->count] = look->set->line[look->way];
        lost->held[lost->count] = look->set->sectors[look->way];
        lost->met[lost->count++] = (uint8_t)look->met;
        look->set->met &= ~(255u << 8 * look->way);
        look->met = 0;
    }
}

static inline Look look_up(VgSet *set, uint32_t tag, uint32_t now, Lost *lost)
{
    unsigned found = vg_l1_find(set, tag), way = vg_l1_way(set, found), is_there = found != 0;
    set->met &= -(uint32_t)(set->request == now);
    set->request = now;
    unsigned met = set->met >> 8 * way & 255;
    if (__builtin_expect(!found & ((met | (unsigned)lost->count) != 0), 0)) {
        Look look = {set, tag, way, 0, 0, met, -1};
        look_among(lost, &look);
        return look;
    }
    return (Look){set, tag, way, is_there, set->sectors[way] & -is_there, met, -1};
}

static inline void bring_in(const Look *look, unsigned sector, Lost *lost)
{
    if (__builtin_expect(look->lost >= 0, 0)) {
        lost->held[look->lost] |= (uint8_t)sector;
        lost->met[look->lost] |= (uint8_t)sector;
        return;
    }
    vg_l1_put(look->set, look->way, look->tag);
    look->set->sectors[look->way] = (uint8_t)(look->held | sector);
    look->set->oldest = (uint8_t)(look->set->oldest + !look->is_there);
    look->set->met |= sector << 8 * look->way;
}

/* Looks a sector of each lane up and brings it in, which leaves what `vg_l1_fetch` would of all sectors of each line. */
static inline void count_met(const VgRequest *request, uint32_t mask, const uint64_t *addresses, int keeps_footprint)
{
    VgProfile *profile = request->profile;
    uint32_t now = ++profile->l1.requests;
    int64_t sectors = 0, missed = 0, lines = 0;
    Places places;
    Lost lost;
    lost.count = 0;
    find_places(&places, request, addresses);
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        uint64_t address = addresses[lane];
        __builtin_prefetch((const void *)(uintptr_t)address); /* it is loaded next */
        unsigned sector = 1u << (address >> SECTOR_SHIFT) % LINE_SECTORS;
        Look look = look_up(&profile->l1.set[places.set[lane]], (uint32_t)places.tag[lane], now, &lost);
        sectors += !(look.met & sector);
        missed += !(look.held & sector);
        lines += !look.met;
        bring_in(&look, sector, &lost);
        if (keeps_footprint)
            vg_touch(profile, address >> LINE_SHIFT, sector);
    }
    add_counts(request->site, sectors, missed, lines);
}

void vg_count_scattered(const VgRequest *request, uint32_t mask, const uint64_t *addresses, unsigned bytes)
{
    const VgMetSite *site = request->site;
    if (!site->is_cached || !site->what.aligned || bytes > 1u << SECTOR_SHIFT)
        count_hashed(request, mask, addresses, bytes);
    else if (site->what.space == VG_LOCAL)
        count_met(request, mask, addresses, 0);
    else
        count_met(request, mask, addresses, 1);
}
