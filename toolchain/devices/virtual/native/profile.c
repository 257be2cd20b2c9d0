/* What a sampled block leaves behind: the distinct sectors it touched. */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_SECTORS 2048
#define PAGE_WORDS (PAGE_SECTORS / 64)

/* Which sectors of an aligned stretch of memory were touched. */
struct VgPage {
    uint64_t number;
    uint64_t touched[PAGE_WORDS];
};
typedef struct VgPage Page;

static VgMetSite *new_sites(const VgLaunch *launch)
{
    VgMetSite *sites = calloc((size_t)launch->site_count + 1, sizeof *sites);
    for (int32_t i = 0; i < launch->site_count; i++) {
        int kind = launch->sites[i].kind;
        sites[i].what = launch->sites[i];
        sites[i].counters = vg_counters_of(launch, i);
        sites[i].is_cached = kind == VG_LOAD || kind == VG_ASYNC_COPY;
    }
    return sites;
}

VgProfile *vg_profile_new(VgBlock *block, int64_t number)
{
    VgProfile *profile = calloc(1, sizeof *profile);
    profile->l1.sets = vg_l1_sets(block->launch->l1_bytes);
    profile->number = number;
    profile->capacity = 256;
    profile->pages = calloc(profile->capacity, sizeof *profile->pages);
    profile->sites = new_sites(block->launch);
    return profile;
}

/* --- where memory is seen ----------------------------------------------------------------------------------------- */

#define HOME_LINES_SHIFT 26 /* lines between two of them: 8 GiB */

static VgHomeLines lines_of(uint64_t first, uint64_t bytes, uint64_t number)
{
    uint64_t line = first >> LINE_SHIFT;
    return (VgHomeLines){line, ((first + bytes - 1) >> LINE_SHIFT) - line + 1, (number << HOME_LINES_SHIFT) - line};
}

static VgHomeLines home_of(const VgBlock *block, uint64_t address, uint64_t number)
{
    uint64_t local = (uint64_t)(uintptr_t)block->local, bytes = 32 * (uint64_t)block->warps * block->local_bytes;
    if (address - local < bytes)
        return lines_of(local, bytes, number);
    const VgAllocation *found = vg_nearest(address);
    if (found && address - found->base < found->bytes)
        return lines_of(found->base, found->bytes, number);
    return (VgHomeLines){0, 0, 0};
}

uint64_t vg_find_home(const VgBlock *block, VgMetSite *site, uint64_t address)
{
    VgProfile *profile = block->profile;
    unsigned number = 0;
    while (number < profile->home_count
           && (address >> LINE_SHIFT) - profile->homes[number].first >= profile->homes[number].lines)
        number++;
    if (number == VG_MOST_HOMES)
        return 0;
    if (number == profile->home_count) {
        profile->homes[number] = home_of(block, address, number + 1);
        profile->home_count += profile->homes[number].lines != 0;
    }
    site->home = profile->homes[number];
    return profile->homes[number].moved;
}

/* --- footprints --------------------------------------------------------------------------------------------------- */

static int by_number(const void *left, const void *right)
{
    uint64_t a = (*(Page *const *)left)->number, b = (*(Page *const *)right)->number;
    return a < b ? -1 : a > b;
}

/* Moves the pages to the front of their table, in ascending order. */
static void order(VgProfile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->capacity; i++)
        if (profile->pages[i])
            profile->pages[count++] = profile->pages[i];
    qsort(profile->pages, count, sizeof *profile->pages, by_number);
}

static int64_t count_sectors(const VgProfile *profile)
{
    int64_t count = 0;
    for (size_t i = 0; i < profile->used; i++)
        for (int word = 0; word < PAGE_WORDS; word++)
            count += __builtin_popcountll(profile->pages[i]->touched[word]);
    return count;
}

/* Hands the footprint, in ascending order, over to the launch, if there is one. */
void vg_profile_end(VgProfile *profile, VgLaunch *launch)
{
    order(profile);
    if (launch) {
        int64_t count = count_sectors(profile);
        uint64_t *sectors = malloc((size_t)(count + 1) * sizeof *sectors), *next = sectors;
        for (size_t i = 0; i < profile->used; i++)
            for (int word = 0; word < PAGE_WORDS; word++)
                for (uint64_t left = profile->pages[i]->touched[word]; left; left &= left - 1)
                    *next++ = profile->pages[i]->number * PAGE_SECTORS + (unsigned)word * 64 +
                              (unsigned)__builtin_ctzll(left);
        launch->footprints[profile->number] = sectors;
        launch->footprint_counts[profile->number] = count;
    }
    for (size_t i = 0; i < profile->used; i++)
        free(profile->pages[i]);
    free(profile->pages);
    free(profile->sites);
    free(profile);
}

/* Lays footprints end to end in `out`, and frees them. */
void vg_take_footprints(uint64_t **footprints, const int64_t *counts, int64_t blocks, uint64_t *out)
{
    for (int64_t i = 0; i < blocks; i++) {
        if (footprints[i])
            memcpy(out, footprints[i], (size_t)counts[i] * sizeof *out);
        out += counts[i];
        free(footprints[i]);
    }
}

static Page **slot_of(Page **pages, size_t capacity, uint64_t number)
{
    size_t place = (number * 0x9e3779b97f4a7c15u) >> 20 & (capacity - 1);
    while (pages[place] && pages[place]->number != number)
        place = (place + 1) & (capacity - 1);
    return &pages[place];
}

static void grow(VgProfile *profile)
{
    size_t capacity = 2 * profile->capacity;
    Page **pages = calloc(capacity, sizeof *pages);
    for (size_t i = 0; i < profile->capacity; i++)
        if (profile->pages[i])
            *slot_of(pages, capacity, profile->pages[i]->number) = profile->pages[i];
    free(profile->pages);
    profile->pages = pages;
    profile->capacity = capacity;
}

static Page *page_of(VgProfile *profile, uint64_t number)
{
    Page **slot = slot_of(profile->pages, profile->capacity, number);
    if (!*slot && 2 * ++profile->used > profile->capacity) {
        grow(profile);
        slot = slot_of(profile->pages, profile->capacity, number);
    }
    if (!*slot) {
        *slot = calloc(1, sizeof **slot);
        (*slot)->number = number;
    }
    return *slot;
}

/* Adds sectors of a line to the footprint. */
void vg_touch(VgProfile *profile, uint64_t line, unsigned sectors)
{
    uint64_t first = line * LINE_SECTORS, number = first / PAGE_SECTORS;
    Page **latest = &profile->latest[number % LATEST_PAGES];
    if (!*latest || (*latest)->number != number)
        *latest = page_of(profile, number);
    (*latest)->touched[first % PAGE_SECTORS / 64] |= (uint64_t)sectors << first % 64;
}
