/* What a sampled block's memory accesses cost: sectors, lines and shared-memory wavefronts. */
#include "profile.h"

#include <string.h>

#include "vectors.h"

enum { PLACES = 256 }; /* as many as eight bits can tell apart */

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
    const VgMetSite *site = request->site;
    int sectors = 0, missed = 0, keeps_footprint = site->what.space != VG_LOCAL;
    for (int i = 0; i < lines->count; i++) {
        unsigned touched = lines->sectors[i];
        missed += __builtin_popcount(vg_missed(request, lines->line[i], touched));
        sectors += __builtin_popcount(touched);
        if (keeps_footprint)
            vg_touch(request->profile, lines->line[i], touched);
    }
    site->counters[VG_SITE_SECTORS] += sectors;
    site->counters[VG_SITE_MISSED_SECTORS] += missed;
    site->counters[VG_SITE_LINES] += lines->count;
}

static void count_scattered(const VgRequest *request, uint32_t mask, const uint64_t *addresses,
                            unsigned bytes)
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

/* The lowest and the highest units of memory, in several lanes each. */
typedef struct {
    VgPart low, high;
} Extremes;

/* Of lanes 0 to 15 (`half` 0) or 16 to 31; units of `1 << shift` bytes. */
static inline Extremes extremes_of(uint32_t mask, const uint64_t *addresses, int half, unsigned shift)
{
    Extremes found = {vg_all(UINT64_MAX), vg_all(0)};
    for (int part = 2 * half; part < 2 * half + 2; part++) {
        VgPart unit = vg_part(addresses, part) >> shift, active = vg_active(mask, part);
        found.low = vg_lesser(found.low, unit | ~active);
        found.high = vg_greater(found.high, unit & active);
    }
    return found;
}

static inline Extremes joined(Extremes a, Extremes b)
{
    return (Extremes){vg_lesser(a.low, b.low), vg_greater(a.high, b.high)};
}

static inline VgSpan span_of(Extremes found) { return (VgSpan){vg_least(found.low), vg_most(found.high)}; }

/* Lanes whose sectors lie within 64 of each other, as a bit a sector. */
static inline void count_window(const VgRequest *request, uint32_t mask, const uint64_t *addresses, VgSpan span)
{
    uint64_t low = span.low & ~(uint64_t)(LINE_SECTORS - 1);
    VgPart set = {0};
    for (int part = 0; part < VG_PARTS; part++) {
        VgPart place = ((vg_part(addresses, part) >> SECTOR_SHIFT) - low) & 63;
        set |= (vg_all(1) << place) & vg_active(mask, part);
    }
    vg_access_bits(request, low, vg_or(set));
}

/* Whether the lanes of two halves are in windows of which each has its own lines. */
static inline int are_windows_apart(VgSpan first, VgSpan second)
{
    return vg_is_window(first) && vg_is_window(second) &&
           (first.high / LINE_SECTORS < second.low / LINE_SECTORS ||
            second.high / LINE_SECTORS < first.low / LINE_SECTORS);
}

static void count_global(const VgRequest *request, uint32_t mask, const uint64_t *addresses, unsigned bytes)
{
    if (bytes > 1u << SECTOR_SHIFT) {
        count_scattered(request, mask, addresses, bytes);
        return;
    }
    Extremes low_half = extremes_of(mask, addresses, 0, SECTOR_SHIFT);
    Extremes high_half = extremes_of(mask, addresses, 1, SECTOR_SHIFT);
    VgSpan both = span_of(joined(low_half, high_half));
    if (vg_is_window(both)) {
        count_window(request, mask, addresses, both);
        return;
    }
    VgSpan first = span_of(low_half), second = span_of(high_half);
    if (are_windows_apart(first, second)) {
        count_window(request, mask & 0xffff, addresses, first);
        count_window(request, mask & 0xffff0000, addresses, second);
    } else {
        count_scattered(request, mask, addresses, bytes);
    }
}

/* Local memory is interleaved: the same word of all lanes lies in one line. */
static void count_local(const VgRequest *request, const VgWarp *warp, uint32_t mask,
                        const uint64_t *addresses, unsigned bytes)
{
    uint64_t places[VG_LANES] __attribute__((aligned(64))), base = (uint64_t)(uintptr_t)warp->local;
    for (unsigned word = 0; word < (bytes + 3) / 4; word++) {
        for (unsigned lane = 0; lane < VG_LANES; lane++) {
            uint64_t offset = addresses[lane] - base - (uint64_t)lane * warp->block->local_bytes;
            places[lane] = base + (offset / 4 + word) * 128 + lane * 4;
        }
        count_global(request, mask, places, 4);
    }
}

/* Passes over the banks that lanes `mask` need: the most different words that any bank must deliver, or, of
 * atomics, the most updates that it must make: lanes that meet in a word take turns. */
static int passes(uint32_t mask, const uint64_t *addresses, unsigned words, int is_atomic)
{
    uint64_t word_of[VG_BANKS][VG_LANES];
    uint8_t count[VG_BANKS] = {0};
    int most = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t first = addresses[__builtin_ctz(mask)] >> 2;
        for (uint64_t word = first; word < first + words; word++) {
            unsigned bank = word % VG_BANKS;
            int known = 0;
            for (int i = 0; i < count[bank]; i++)
                known |= !is_atomic && word_of[bank][i] == word;
            if (known || count[bank] == VG_LANES)
                continue;
            word_of[bank][count[bank]++] = word;
            most = count[bank] > most ? count[bank] : most;
        }
    }
    return most;
}

/* Whether lanes that meet in a word do: not where they look at an mbarrier, or arrive, which warps do as one. */
static int takes_turns(const VgSite *what) { return what->kind == VG_ATOMIC && !what->barrier; }

static int within_one_row(uint32_t mask, const uint64_t *addresses)
{
    VgSpan span = span_of(joined(extremes_of(mask, addresses, 0, 2), extremes_of(mask, addresses, 1, 2)));
    return span.high - span.low < VG_BANKS;
}

/* Accesses of 8 bytes take two halves of a warp, of 16 bytes four quarters. */
static int wavefronts(uint32_t mask, const uint64_t *addresses, unsigned bytes, int is_atomic)
{
    unsigned words = bytes <= 4 ? 1 : bytes / 4, group = VG_LANES / words, total = 0;
    if (words == 1 && !is_atomic && within_one_row(mask, addresses))
        return 1;
    for (unsigned first = 0; first < VG_LANES; first += group) {
        uint32_t lanes = mask & (group == VG_LANES ? UINT32_MAX : ((1u << group) - 1) << first);
        total += lanes ? (unsigned)passes(lanes, addresses, words, is_atomic) : 0;
    }
    return (int)total;
}

void vg_count(VgWarp *warp, uint32_t mask, const uint64_t *addresses, int32_t number)
{
    VgBlock *block = warp->block;
    if (!block->profile || !mask)
        return;
    if (block->pending != block->first_pending)
        vg_count_pending(block);
    VgMetSite *site = &block->profile->sites[number];
    const VgSite *what = &site->what;
    site->counters[VG_SITE_REQUESTS]++;
    site->counters[VG_SITE_LANES] += __builtin_popcount(mask);
    uint64_t first = addresses[__builtin_ctz(mask)];
    if (vg_in_shared(block, what->space, first)) {
        site->counters[VG_SITE_SECTORS] += wavefronts(mask, addresses, what->bytes, takes_turns(what));
        return;
    }
    VgRequest request = {block->profile, site, vg_moved(block, site, first)};
    if (what->space == VG_LOCAL)
        count_local(&request, warp, mask, addresses, what->bytes);
    else
        count_global(&request, mask, addresses, what->bytes);
}
