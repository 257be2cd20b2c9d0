/* What the accesses of whole warps cost whose halves lie in a row each: generated code leaves their places behind,
 * and they are counted together, in the order in which they were made. */
#include "profile.h"

enum { LINE_BYTES = 1 << LINE_SHIFT };

/* Sectors `first` to `last` as bits from sector `low` on. */
static uint64_t bits_of(uint64_t first, uint64_t last, uint64_t low)
{
    return ((UINT64_C(2) << (last - first)) - 1) << (first - low);
}

/* Two ranges, wherever they lie. */
static void count_ranges(const VgRequest *request, const VgPending *access)
{
    uint64_t first[2] = {access->low >> SECTOR_SHIFT, access->high >> SECTOR_SHIFT};
    uint64_t last[2] = {(access->low + access->span - 1) >> SECTOR_SHIFT,
                        (access->high + access->span - 1) >> SECTOR_SHIFT};
    VgSpan both = {first[0] < first[1] ? first[0] : first[1], last[0] > last[1] ? last[0] : last[1]};
    if (vg_is_window(both)) {
        uint64_t low = both.low & ~(uint64_t)(LINE_SECTORS - 1);
        vg_access_bits(request, low, bits_of(first[0], last[0], low) | bits_of(first[1], last[1], low));
        return;
    }
    for (int i = 0; i < 2; i++) {
        uint64_t low = first[i] & ~(uint64_t)(LINE_SECTORS - 1);
        vg_access_bits(request, low, bits_of(first[i], last[i], low));
    }
}

/* Passes over the banks, as `vg_count` has them of accesses of `bytes` a lane. */
static int wavefronts(const VgPending *access, unsigned bytes)
{
    if (bytes > 4)
        return (int)(bytes / 4);
    uint64_t first[2] = {access->low >> 2, access->high >> 2};
    uint64_t last[2] = {(access->low + access->span - 1) >> 2, (access->high + access->span - 1) >> 2};
    if (first[0] == first[1])
        return 1;
    uint64_t apart = (first[1] - first[0]) % VG_BANKS, words = last[0] - first[0] + 1;
    uint64_t behind = VG_BANKS - apart;
    int overlapping = first[0] <= last[1] && first[1] <= last[0];
    return (apart >= words && behind >= last[1] - first[1] + 1) ||
                   (overlapping && (last[0] > last[1] ? last[0] : last[1]) -
                                           (first[0] < first[1] ? first[0] : first[1]) <
                                       VG_BANKS)
               ? 1
               : 2;
}

/* An access to shared memory, over more than a line, or to memory that its site did not access before. */
static __attribute__((noinline)) void count_any(const VgBlock *block, VgMetSite *site, const VgPending *access)
{
    if (vg_in_shared(block, site->what.space, access->low)) {
        site->counters[VG_SITE_SECTORS] += wavefronts(access, site->what.bytes);
        return;
    }
    VgRequest request = {block->profile, site, vg_moved(block, site, access->low)};
    count_ranges(&request, access);
}

static inline int in_one_line(uint64_t place, uint32_t span) { return place % LINE_BYTES + span <= LINE_BYTES; }

/* The sectors of a range in one line, bit 0 the line's first. */
static inline unsigned sectors_of(uint64_t place, uint32_t span)
{
    unsigned within = (unsigned)place % LINE_BYTES;
    return (2u << ((within + span - 1) >> SECTOR_SHIFT)) - (1u << (within >> SECTOR_SHIFT));
}

/* The sectors of a line that count as missed, which are then in the footprint. */
static inline unsigned missing(VgProfile *profile, const VgMetSite *site, uint64_t line, unsigned sectors)
{
    unsigned missed = site->is_cached ? vg_l1_look(&profile->l1, line + site->home.moved, sectors) : sectors;
    if (missed)
        vg_touch(profile, line, sectors);
    return missed;
}

/* Global memory, each half in one line. */
static inline void count_lines(VgProfile *profile, const VgMetSite *site, const VgPending *access)
{
    uint64_t line = access->low >> LINE_SHIFT, other = access->high >> LINE_SHIFT;
    unsigned sectors = sectors_of(access->low, access->span), others = sectors_of(access->high, access->span);
    unsigned missed;
    if (line == other) {
        sectors |= others;
        missed = missing(profile, site, line, sectors);
    } else {
        sectors |= others << LINE_SECTORS;
        missed = missing(profile, site, line, sectors % (1 << LINE_SECTORS));
        missed |= missing(profile, site, other, others) << LINE_SECTORS;
    }
    site->counters[VG_SITE_SECTORS] += __builtin_popcount(sectors);
    site->counters[VG_SITE_MISSED_SECTORS] += __builtin_popcount(missed);
    site->counters[VG_SITE_LINES] += 1 + (line != other);
}

void vg_count_pending(VgBlock *block)
{
    const VgPending *end = block->pending;
    VgProfile *profile = block->profile;
    block->pending = block->first_pending;
    if (!profile)
        return;
    for (const VgPending *access = block->first_pending; access < end; access++) {
        VgMetSite *site = &profile->sites[access->site];
        site->counters[VG_SITE_REQUESTS]++;
        site->counters[VG_SITE_LANES] += VG_LANES;
        if ((site->what.space == VG_GLOBAL) & vg_is_at_home(site, access->low) & in_one_line(access->low, access->span) &
            in_one_line(access->high, access->span))
            count_lines(profile, site, access);
        else
            count_any(block, site, access);
    }
}
