/* What the accesses of whole warps cost whose halves lie in a row each: generated code leaves their places behind,
 * and they are counted together, in the order in which they were made. */
#include "meeting.h"
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
static inline int wavefronts(const VgPending *access, unsigned bytes)
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

static inline void add_request(VgMetSite *site)
{
    site->counters[VG_SITE_REQUESTS]++;
    site->counters[VG_SITE_LANES] += VG_LANES;
}

/* An access that may go anywhere. */
static __attribute__((noinline)) void count_any(VgBlock *block, VgMetSite *site, const VgPending *access)
{
    add_request(site);
    if (vg_in_shared(block, site->what.space, access->low)) {
        site->counters[VG_SITE_SECTORS] += wavefronts(access, site->what.bytes);
        return;
    }
    VgRequest request = {block, block->profile, site, vg_stretch_of(block, site, access->low)};
    count_ranges(&request, access);
}

/* An access that changes something of the stretch where its site was before: sectors of lines from `line` on, and of
 * another line, if any. */
static __attribute__((noinline)) void count_changing(VgBlock *block, VgMetSite *site, uint64_t line, uint64_t sectors,
                                                     uint64_t other, uint64_t others)
{
    VgRequest request = {block, block->profile, site, site->stretch};
    add_request(site);
    vg_change_bits(&request, line * LINE_SECTORS, sectors);
    if (others)
        vg_change_bits(&request, other * LINE_SECTORS, others);
}

#define EACH_LINE UINT64_C(0x0101010101010101)

static inline void add_same(VgMetSite *site, unsigned sectors, unsigned lines)
{
    site->sectors += sectors;
    site->requests_and_lines += (UINT64_C(1) << 32) + lines;
}

/* Whether an access of these sectors of eight lines, four bits a byte, changes nothing. */
static inline int is_same(const VgMetSite *site, uint64_t line, uint64_t sectors)
{
    return !(sectors & ~vg_eight(site->same + line));
}

/* Sectors `first` to `last` of eight lines. */
static inline uint64_t sectors_of(unsigned first, unsigned last)
{
    return ((UINT64_C(2) << (last + (last & 28))) - (UINT64_C(1) << first)) & 15 * EACH_LINE;
}

/* Each half's lanes access one place. */
static inline int count_places(VgBlock *block, VgMetSite *site, uint64_t low, uint64_t high)
{
    uint64_t line = (low >> LINE_SHIFT) - site->first, other = (high >> LINE_SHIFT) - site->first;
    if ((line >= site->lines) | (other >= site->lines))
        return 0;
    unsigned sector = (low >> SECTOR_SHIFT) % LINE_SECTORS, another = (high >> SECTOR_SHIFT) % LINE_SECTORS;
    if (site->same[line] >> sector & site->same[other] >> another & 1)
        add_same(site, 1 + (low >> SECTOR_SHIFT != high >> SECTOR_SHIFT), 1 + (line != other));
    else if (line == other)
        count_changing(block, site, low >> LINE_SHIFT, 1u << sector | 1u << another, 0, 0);
    else
        count_changing(block, site, low >> LINE_SHIFT, 1u << sector, high >> LINE_SHIFT, 1u << another);
    return 1;
}

/* All lanes are in a row, or both halves in the same. */
static inline int count_row(VgBlock *block, VgMetSite *site, uint64_t place, uint32_t bytes)
{
    uint64_t line = (place >> LINE_SHIFT) - site->first;
    if (line >= site->lines)
        return 0;
    unsigned within = place % LINE_BYTES, first = within >> SECTOR_SHIFT, last = (within + bytes - 1) >> SECTOR_SHIFT;
    if (is_same(site, line, sectors_of(first, last)))
        add_same(site, last - first + 1, 1 + last / LINE_SECTORS);
    else
        count_changing(block, site, place >> LINE_SHIFT, (2u << last) - (1u << first), 0, 0);
    return 1;
}

static inline int count_rows(VgMetSite *site, const VgPending *access)
{
    uint64_t line = (access->low >> LINE_SHIFT) - site->first, other = (access->high >> LINE_SHIFT) - site->first;
    if ((line >= site->lines) | (other >= site->lines))
        return 0;
    unsigned low = access->low % LINE_BYTES, high = access->high % LINE_BYTES, beyond = access->span - 1;
    uint64_t sectors = sectors_of(low >> SECTOR_SHIFT, (low + beyond) >> SECTOR_SHIFT);
    uint64_t others = sectors_of(high >> SECTOR_SHIFT, (high + beyond) >> SECTOR_SHIFT);
    if (!(is_same(site, line, sectors) & is_same(site, other, others)))
        return 0;
    /* up to three bytes each; those of the same lines meet */
    unsigned shift = other - line + 2 <= 4 ? 8 * (unsigned)(other - line + 2) : 40;
    uint64_t both = sectors << 16 | others << shift;
    add_same(site, (unsigned)__builtin_popcountll(both),
             (unsigned)__builtin_popcountll((both + 15 * EACH_LINE) & 16 * EACH_LINE));
    return 1;
}

/* Counts an access to the stretch where its site was before; whether it was one. */
static inline int count_there(VgBlock *block, VgMetSite *site, const VgPending *access)
{
    uint64_t low = access->low, apart = access->high - low;
    uint32_t span = access->span;
    if (span == site->what.bytes)
        return count_places(block, site, low, access->high);
    if (!apart | (apart == span))
        return count_row(block, site, low, span + (uint32_t)apart);
    return count_rows(site, access);
}

void vg_count_pending(VgBlock *block)
{
    const VgPending *end = block->pending;
    VgProfile *profile = block->profile;
    if (block->launch->pace) {
        vg_meet_pending(block);
        block->launch->pace->met = 0;
    }
    block->pending = block->first_pending;
    if (!profile)
        return;
    for (const VgPending *access = block->first_pending; access < end; access++) {
        VgMetSite *site = &profile->sites[access->site];
        if (site->what.space == VG_SHARED)
            add_same(site, (unsigned)wavefronts(access, site->what.bytes), 0);
        else if (!count_there(block, site, access))
            count_any(block, site, access);
    }
}
