/* The memory that a sampled block meets, line by line: where the modelled L1 sees it, and what accesses change of it. */
#include "profile.h"

#include <pthread.h>
#include <stdlib.h>

#define MOVED_LINES_SHIFT 26 /* lines between two allocations: 8 GiB */
#define MOST_LINES (1 << 19) /* of a stretch: 64 MiB, as what is known of it takes memory */
#define UNKNOWN_LINES 32     /* of one of memory that nobody allocated */
#define MOST_SPARE 16
#define HOST_LINE_BYTES 64

/* --- what is known of a stretch ------------------------------------------------------------------------------------- */

/* Kept from launches before. All bytes are 0, as after every block. */
static struct {
    uint8_t *bytes;
    size_t count;
} spare[MOST_SPARE];
static int spares;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint8_t *take_spare(size_t *count)
{
    uint8_t *found = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < spares && !found; i++)
        if (spare[i].count >= *count && spare[i].count / 4 <= *count) {
            found = spare[i].bytes;
            *count = spare[i].count;
            spare[i] = spare[--spares];
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void keep_spare(uint8_t *bytes, size_t count)
{
    pthread_mutex_lock(&lock);
    int is_kept = spares < MOST_SPARE;
    if (is_kept) {
        spare[spares].bytes = bytes;
        spare[spares++].count = count;
    }
    pthread_mutex_unlock(&lock);
    if (!is_kept)
        free(bytes);
}

static VgStretch *new_stretch(VgStretch made)
{
    size_t chunks = (size_t)(made.lines / CHUNK_LINES + 1), groups = chunks / GROUP_CHUNKS + 1;
    size_t lines = chunks * CHUNK_LINES + WINDOW_LINES;
    VgStretch *stretch = malloc(sizeof *stretch);
    made.bytes = 3 * lines + (GROUP_CHUNKS + 1) * groups;
    made.held = take_spare(&made.bytes);
    if (!made.held)
        made.held = calloc(made.bytes, 1);
    made.touched = made.held + lines;
    made.wanted = made.touched + lines;
    made.chunks = made.wanted + lines;
    made.groups = made.chunks + GROUP_CHUNKS * groups;
    *stretch = made;
    return stretch;
}

void vg_free_stretch(VgStretch *stretch)
{
    keep_spare(stretch->held, stretch->bytes);
    free(stretch);
}

/* --- finding and meeting them --------------------------------------------------------------------------------------- */

static VgStretch all_of(uint64_t first, uint64_t bytes)
{
    uint64_t line = first >> LINE_SHIFT;
    return (VgStretch){
        .base = line, .first = line, .lines = ((first + bytes - 1) >> LINE_SHIFT) - line + 1, .is_known = 1};
}

/* The allocation, or the block's local memory, that has an address. */
static VgStretch home_of(const VgBlock *block, uint64_t address)
{
    uint64_t local = (uint64_t)(uintptr_t)block->local, bytes = 32 * (uint64_t)block->warps * block->local_bytes;
    if (address - local < bytes)
        return all_of(local, bytes);
    const VgAllocation *found = vg_nearest(address);
    if (found && address - found->base < found->bytes)
        return all_of(found->base, found->bytes);
    return (VgStretch){.first = (address >> LINE_SHIFT) & ~(uint64_t)(UNKNOWN_LINES - 1), .lines = UNKNOWN_LINES};
}

/* Takes off what is too much around a line, and what others have, which do not have the line. */
static void cut_off(VgStretch *stretch, uint64_t line, const VgStretch *below, const VgStretch *above)
{
    uint64_t first = stretch->first + (line - stretch->first) / MOST_LINES * MOST_LINES;
    uint64_t end = stretch->first + stretch->lines;
    if (end - first > MOST_LINES)
        end = first + MOST_LINES;
    if (below && below->first + below->lines > first)
        first = below->first + below->lines;
    if (above && above->first < end)
        end = above->first;
    stretch->first = first;
    stretch->lines = end - first;
}

/* How many begin at or before a line. */
static size_t count_until(const VgProfile *profile, uint64_t line)
{
    size_t low = 0, high = profile->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (profile->stretches[middle]->first <= line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

VgStretch *vg_find_stretch(const VgBlock *block, uint64_t address)
{
    VgProfile *profile = block->profile;
    uint64_t line = address >> LINE_SHIFT;
    size_t place = count_until(profile, line);
    VgStretch **next = profile->stretches + place, *below = place ? next[-1] : NULL;
    if (below && line - below->first < below->lines)
        return below;
    VgStretch made = home_of(block, address);
    cut_off(&made, line, below, place < profile->count ? *next : NULL);
    if (profile->count == profile->room) {
        profile->room = 2 * profile->room + 8;
        profile->stretches = realloc(profile->stretches, profile->room * sizeof *profile->stretches);
        next = profile->stretches + place;
    }
    memmove(next + 1, next, (profile->count++ - place) * sizeof *next);
    return *next = new_stretch(made);
}

/* What is added to the numbers of an allocation's lines. */
static uint64_t moved(VgProfile *profile, uint64_t base)
{
    uint64_t number = 0;
    while (number < profile->met && profile->homes[number] != base)
        number++;
    if (number == VG_MOST_HOMES)
        return 0;
    profile->homes[number] = base;
    profile->met += number == profile->met;
    return ((number + 1) << MOVED_LINES_SHIFT) - base;
}

void vg_meet(VgProfile *profile, VgStretch *stretch)
{
    if (stretch->is_met)
        return;
    stretch->is_met = 1;
    stretch->moved = stretch->is_known ? moved(profile, stretch->base) : 0;
}

/* --- accessing them ------------------------------------------------------------------------------------------------- */

/* Line by line; the sectors that were missed. */
static int64_t access_lines(const VgRequest *request, uint64_t line, uint64_t bits)
{
    int64_t missed = 0;
    VgStretch *stretch = request->stretch;
    vg_meet(request->profile, stretch);
    for (; bits; bits >>= LINE_SECTORS, line++) {
        if (!(bits & 15))
            continue;
        if (line - stretch->first >= stretch->lines) {
            stretch = vg_find_stretch(request->block, line << LINE_SHIFT);
            vg_meet(request->profile, stretch);
        }
        missed += __builtin_popcount(vg_access_line(request, stretch, line - stretch->first, bits & 15));
    }
    return missed;
}

/* The sectors of eight lines, four bits a byte, that an access changes something of. */
static inline uint64_t changing(const uint8_t *same, uint64_t bits)
{
    return vg_spread((uint32_t)bits) & ~vg_eight(same);
}

/* What a warp that goes through memory in order loads at its next turn, or the warp after it now. */
static inline void prefetch(uint64_t address)
{
    for (unsigned i = 0; i < 3; i++)
        __builtin_prefetch((const void *)(uintptr_t)(address + HOST_LINE_BYTES * i));
}

void vg_change_bits(const VgRequest *request, uint64_t low, uint64_t bits)
{
    int64_t *counters = request->site->counters;
    if (request->site->what.kind == VG_LOAD)
        prefetch((low + 64 - (unsigned)__builtin_clzll(bits | 1)) << SECTOR_SHIFT);
    counters[VG_SITE_SECTORS] += __builtin_popcountll(bits);
    counters[VG_SITE_LINES] += vg_lines_of(bits);
    counters[VG_SITE_MISSED_SECTORS] += access_lines(request, low / LINE_SECTORS, bits);
}

void vg_access_bits(const VgRequest *request, uint64_t low, uint64_t bits)
{
    const VgMetSite *site = request->site;
    const VgStretch *stretch = request->stretch;
    uint64_t place = low / LINE_SECTORS - stretch->first;
    const uint8_t *same = (site->is_cached ? stretch->held : stretch->touched) + place;
    if (place >= stretch->lines || changing(same, bits) ||
        (bits >> 32 && changing(same + WINDOW_LINES / 2, bits >> 32))) {
        vg_change_bits(request, low, bits);
        return;
    }
    site->counters[VG_SITE_SECTORS] += __builtin_popcountll(bits);
    site->counters[VG_SITE_LINES] += vg_lines_of(bits);
    site->counters[VG_SITE_MISSED_SECTORS] += site->is_cached ? 0 : __builtin_popcountll(bits);
}
