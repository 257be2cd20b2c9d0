/* What a sampled block's memory accesses cost: sectors, lines and shared-memory wavefronts. */
#include "profile.h"

#include <string.h>

#include "vectors.h"

#define BANKS 32

static void access_bits(const VgRequest *request, uint64_t low, uint64_t bits)
{
    for (uint64_t line = low / LINE_SECTORS; bits; bits >>= LINE_SECTORS, line++)
        if (bits & 15)
            vg_access_line(request, line, bits & 15);
}

/* The distinct lines of one request, found by a small hash table. */
typedef struct {
    uint64_t line[2 * VG_LANES];
    uint8_t sectors[2 * VG_LANES], place[4 * VG_LANES];
    int count;
} Lines;

static void add_sector(Lines *lines, uint64_t sector)
{
    uint64_t line = sector / LINE_SECTORS;
    unsigned slot = (unsigned)((line * 0x9e3779b97f4a7c15u) >> 57);
    while (lines->place[slot] && lines->line[lines->place[slot] - 1] != line)
        slot = (slot + 1) % (4 * VG_LANES);
    if (!lines->place[slot]) {
        if (lines->count == 2 * VG_LANES)
            return;
        lines->line[lines->count] = line;
        lines->sectors[lines->count] = 0;
        lines->place[slot] = (uint8_t)++lines->count;
    }
    lines->sectors[lines->place[slot] - 1] |= (uint8_t)(1u << sector % LINE_SECTORS);
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
    for (int i = 0; i < lines.count; i++) {
        vg_count_line(request, lines.line[i], lines.sectors[i]);
        if (request->keeps_footprint)
            vg_touch(request->profile, lines.line[i], lines.sectors[i]);
    }
}

/* Lowest and highest of some lanes' units of `1 << shift` bytes. */
typedef struct {
    uint64_t low, high;
} Span;

/* Of lanes 0 to 15 (`half` 0) or 16 to 31. */
static inline Span span_of(uint32_t mask, const uint64_t *addresses, int half, unsigned shift)
{
    VgPart low = vg_all(UINT64_MAX), high = vg_all(0);
    for (int part = 2 * half; part < 2 * half + 2; part++) {
        VgPart unit = vg_part(addresses, part) >> shift, active = vg_active(mask, part);
        low = vg_lesser(low, unit | ~active);
        high = vg_greater(high, unit & active);
    }
    return (Span){vg_least(low), vg_most(high)};
}

static inline Span joined(Span a, Span b)
{
    return (Span){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

/* Lanes whose sectors lie within 64 of each other, as a bit a sector. */
static inline void count_window(const VgRequest *request, uint32_t mask, const uint64_t *addresses, Span span)
{
    uint64_t low = span.low & ~(uint64_t)(LINE_SECTORS - 1);
    VgPart set = {0};
    for (int part = 0; part < VG_PARTS; part++) {
        VgPart place = ((vg_part(addresses, part) >> SECTOR_SHIFT) - low) & 63;
        set |= (vg_all(1) << place) & vg_active(mask, part);
    }
    access_bits(request, low, vg_or(set));
}

static inline int is_window(Span span)
{
    return span.high < span.low || span.high - (span.low & ~(uint64_t)(LINE_SECTORS - 1)) < 64;
}

static void count_global(const VgRequest *request, uint32_t mask, const uint64_t *addresses, unsigned bytes)
{
    Span first = span_of(mask, addresses, 0, SECTOR_SHIFT);
    Span second = span_of(mask, addresses, 1, SECTOR_SHIFT);
    Span both = joined(first, second);
    if (bytes > 1u << SECTOR_SHIFT) {
        count_scattered(request, mask, addresses, bytes);
    } else if (is_window(both)) {
        count_window(request, mask, addresses, both);
    } else if (is_window(first) && is_window(second) &&
               (first.high / LINE_SECTORS < second.low / LINE_SECTORS ||
                second.high / LINE_SECTORS < first.low / LINE_SECTORS)) {
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
    uint64_t places[VG_LANES], base = (uint64_t)(uintptr_t)warp->local;
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
    uint64_t word_of[BANKS][VG_LANES];
    uint8_t count[BANKS] = {0};
    int most = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t first = addresses[__builtin_ctz(mask)] >> 2;
        for (uint64_t word = first; word < first + words; word++) {
            unsigned bank = word % BANKS;
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
    Span span = joined(span_of(mask, addresses, 0, 2), span_of(mask, addresses, 1, 2));
    return span.high - span.low < BANKS;
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

/* Whether an access goes to shared memory, of this block or of another of its cluster. */
static int in_shared(const VgBlock *block, int space, uint64_t address)
{
    return space == VG_SHARED || space == VG_CLUSTER || (space == VG_GENERIC && vg_shared_holder(block, address));
}

/* Sectors `first` to `last` as bits from sector `low` on. */
static inline uint64_t bits_of(uint64_t first, uint64_t last, uint64_t low)
{
    return ((UINT64_C(2) << (last - first)) - 1) << (first - low);
}

/* Two ranges that each lie in one line. */
static inline void count_two_lines(const VgRequest request, const uint64_t *first, const uint64_t *last)
{
    uint64_t line[2] = {first[0] / LINE_SECTORS, first[1] / LINE_SECTORS};
    unsigned sectors[2];
    for (int i = 0; i < 2; i++)
        sectors[i] = (unsigned)bits_of(first[i], last[i], line[i] * LINE_SECTORS);
    if (line[0] == line[1]) {
        vg_access_line(&request, line[0], sectors[0] | sectors[1]);
        return;
    }
    vg_access_line(&request, line[0], sectors[0]);
    vg_access_line(&request, line[1], sectors[1]);
}

/* Two ranges, of which one at least is longer than a line or lies in two. */
static __attribute__((noinline)) void count_long_ranges(const VgRequest request, const uint64_t *first,
                                                        const uint64_t *last)
{
    Span both = {first[0] < first[1] ? first[0] : first[1], last[0] > last[1] ? last[0] : last[1]};
    if (is_window(both)) {
        uint64_t low = both.low & ~(uint64_t)(LINE_SECTORS - 1);
        access_bits(&request, low, bits_of(first[0], last[0], low) | bits_of(first[1], last[1], low));
        return;
    }
    for (int i = 0; i < 2; i++) {
        uint64_t low = first[i] & ~(uint64_t)(LINE_SECTORS - 1);
        access_bits(&request, low, bits_of(first[i], last[i], low));
    }
}

/* `request` is handed on by value, so that its parts stay in registers. */
static inline void count_two_ranges(const VgRequest request, const uint64_t *places, uint64_t span)
{
    uint64_t first[2], last[2];
    for (int i = 0; i < 2; i++) {
        first[i] = places[i] >> SECTOR_SHIFT;
        last[i] = (places[i] + span - 1) >> SECTOR_SHIFT;
    }
    if (first[0] / LINE_SECTORS == last[0] / LINE_SECTORS && first[1] / LINE_SECTORS == last[1] / LINE_SECTORS)
        count_two_lines(request, first, last);
    else
        count_long_ranges(request, first, last);
}

/* As `wavefronts` of two halves, from whose places `lanes` accesses of up to four bytes are in a row. */
static __attribute__((noinline)) int wavefronts_of_halves(const uint64_t *places, uint64_t bytes, uint64_t lanes)
{
    if (bytes > 4)
        return (int)(bytes / 4);
    uint64_t first[2], last[2];
    for (int i = 0; i < 2; i++) {
        first[i] = places[i] >> 2;
        last[i] = (places[i] + bytes * lanes - 1) >> 2;
    }
    if (first[0] == first[1])
        return 1;
    uint64_t apart = (first[1] - first[0]) % BANKS, words = last[0] - first[0] + 1;
    uint64_t behind = BANKS - apart;
    int overlapping = first[0] <= last[1] && first[1] <= last[0];
    return (apart >= words && behind >= last[1] - first[1] + 1) ||
                   (overlapping && (last[0] > last[1] ? last[0] : last[1]) -
                                           (first[0] < first[1] ? first[0] : first[1]) <
                                       BANKS)
               ? 1
               : 2;
}

/* `vg_count` of a whole warp: both halves have `lanes` accesses (1 or 16) in a row, from `low` and `high`. */
void vg_count_halves(VgWarp *warp, int32_t site, uint64_t low, uint64_t high, int32_t lanes)
{
    const VgBlock *block = warp->block;
    if (!block->profile)
        return;
    const VgSite *what = &block->launch->sites[site];
    int64_t *counters = block->launch->counters + 2 * block->launch->basic_blocks + VG_SITE_COLUMNS * site;
    uint64_t places[2] = {low, high};
    counters[VG_SITE_REQUESTS]++;
    counters[VG_SITE_LANES] += VG_LANES;
    if (in_shared(block, what->space, low)) {
        counters[VG_SITE_SECTORS] += wavefronts_of_halves(places, what->bytes, (uint64_t)lanes);
        return;
    }
    VgRequest request = {block->profile, counters, what->kind, 1, vg_moved(warp, site, low)};
    count_two_ranges(request, places, (uint64_t)lanes * what->bytes);
}

void vg_count(VgWarp *warp, uint32_t mask, const uint64_t *addresses, int32_t site)
{
    const VgBlock *block = warp->block;
    if (!block->profile || !mask)
        return;
    const VgSite *what = &block->launch->sites[site];
    int64_t *counters = block->launch->counters + 2 * block->launch->basic_blocks + VG_SITE_COLUMNS * site;
    counters[VG_SITE_REQUESTS]++;
    counters[VG_SITE_LANES] += __builtin_popcount(mask);
    uint64_t first = addresses[__builtin_ctz(mask)];
    VgRequest request = {block->profile, counters, what->kind, what->space != VG_LOCAL, 0};
    if (!in_shared(block, what->space, first))
        request.moved = vg_moved(warp, site, first);
    if (in_shared(block, what->space, first))
        counters[VG_SITE_SECTORS] += wavefronts(mask, addresses, what->bytes, takes_turns(what));
    else if (what->space == VG_LOCAL)
        count_local(&request, warp, mask, addresses, what->bytes);
    else
        count_global(&request, mask, addresses, what->bytes);
}
