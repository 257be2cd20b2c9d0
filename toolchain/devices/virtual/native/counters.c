/* What a sampled block's memory accesses cost: sectors, lines and shared-memory wavefronts. */
#include "profile.h"

#include "meeting.h"
#include "vectors.h"

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

/* Where lanes' sectors are in the window that begins with the line of the first lane of `mask`. */
typedef struct {
    uint64_t low, first; /* sectors: the window's, and the first lane's in it */
    VgPart place[VG_PARTS];
} Window;

static inline Window window_of(uint32_t mask, const uint64_t *addresses)
{
    uint64_t sector = addresses[__builtin_ctz(mask)] >> SECTOR_SHIFT;
    Window window = {.first = sector % LINE_SECTORS, .low = sector - sector % LINE_SECTORS};
    for (int part = 0; part < VG_PARTS; part++)
        window.place[part] = (vg_part(addresses, part) >> SECTOR_SHIFT) - window.low;
    return window;
}

/* Counts lanes that are all in the window, as most are: they ascend, or stay near. Whether they were. */
static inline int count_near(const VgRequest *request, uint32_t mask, const Window *window)
{
    VgPart set = {0}, outside = {0};
    for (int part = 0; part < VG_PARTS; part++) {
        VgPart place = window->place[part], active = vg_active(mask, part);
        outside |= (VgPart)(place > vg_all(63)) & active;
        set |= (vg_all(1) << (place & 63)) & active;
    }
    if (vg_any(outside))
        return 0;
    vg_access_bits(request, window->low, vg_or(set));
    return 1;
}

/* Whether a lane of `lower`, the lower half's, is so far from the first that no window has both. */
static inline int is_scattered(uint32_t lower, const Window *window)
{
    VgPart far = {0};
    for (int part = 0; part < VG_PARTS / 2; part++)
        far |= (VgPart)(window->place[part] + (63 - window->first) > vg_all(126)) & vg_active(lower, part);
    return vg_any(far);
}

static void count_global(const VgRequest *request, uint32_t mask, const uint64_t *addresses, unsigned bytes)
{
    if (bytes > 1u << SECTOR_SHIFT) {
        vg_count_scattered(request, mask, addresses, bytes);
        return;
    }
    Window window = window_of(mask, addresses);
    if (count_near(request, mask, &window))
        return;
    if (is_scattered(mask & 0xffff, &window)) {
        vg_count_scattered(request, mask, addresses, bytes);
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
        vg_count_scattered(request, mask, addresses, bytes);
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

/* Different addresses, which constant memory answers one after another. */
static int places(uint32_t mask, const uint64_t *addresses)
{
    uint64_t known[VG_LANES];
    int count = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t address = addresses[__builtin_ctz(mask)];
        int i = 0;
        while (i < count && known[i] != address)
            i++;
        known[i] = address;
        count += i == count;
    }
    return count;
}

void vg_count(VgWarp *warp, uint32_t mask, const uint64_t *addresses, int32_t number)
{
    VgBlock *block = warp->block;
    if (block->launch->pace && mask)
        vg_meet_lanes(warp, mask, addresses, number);
    if (!block->profile || !mask)
        return;
    if (block->pending != block->first_pending)
        vg_count_pending(block);
    VgMetSite *site = &block->profile->sites[number];
    const VgSite *what = &site->what;
    site->counters[VG_SITE_REQUESTS]++;
    site->counters[VG_SITE_LANES] += __builtin_popcount(mask);
    uint64_t first = addresses[__builtin_ctz(mask)];
    __builtin_prefetch((const void *)(uintptr_t)first); /* it is loaded next */
    if (what->space == VG_CONST) {
        site->counters[VG_SITE_SECTORS] += places(mask, addresses);
        return;
    }
    if (vg_in_shared(block, what->space, first)) {
        site->counters[VG_SITE_SECTORS] += wavefronts(mask, addresses, what->bytes, takes_turns(what));
        return;
    }
    VgRequest request = {block, block->profile, site, vg_stretch_of(block, site, first)};
    if (what->space == VG_LOCAL)
        count_local(&request, warp, mask, addresses, what->bytes);
    else
        count_global(&request, mask, addresses, what->bytes);
}
