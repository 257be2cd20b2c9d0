/* What a sampled block leaves behind: the distinct sectors it touched. */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "vectors.h"

enum { AT_A_TIME = 8, FIRST_PAGES = 32, FIRST_ROOM = 1 << 16, MOST_SPARE = 1 << 19 };

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

static VgProfile *new_profile(const VgLaunch *launch)
{
    VgProfile *profile = calloc(1, sizeof *profile);
    profile->l1.sets = vg_l1_sets(launch->l1_bytes);
    profile->capacity = FIRST_PAGES;
    profile->pages = calloc(profile->capacity, sizeof *profile->pages);
    profile->sites = new_sites(launch);
    return profile;
}

VgProfile *vg_profile_begin(VgProfile *kept, const VgLaunch *launch, int64_t number)
{
    VgProfile *profile = kept ? kept : new_profile(launch);
    profile->number = number;
    return profile;
}

/* As it was when it was new, but for pages that wait to be used again. */
static void clear(VgProfile *profile, const VgLaunch *launch)
{
    memset(profile->l1.set, 0, profile->l1.sets * sizeof *profile->l1.set);
    memset(profile->pages, 0, profile->capacity * sizeof *profile->pages);
    memset(profile->latest, 0, sizeof profile->latest);
    for (int32_t i = 0; i < launch->site_count; i++)
        profile->sites[i].home = (VgHomeLines){0, 0, 0};
    profile->l1.requests = 0;
    profile->home_count = 0;
    profile->used = 0;
}

void vg_profile_free(VgProfile *profile)
{
    if (!profile)
        return;
    for (Page *page = profile->unused, *next; page; page = next) {
        next = page->next;
        free(page);
    }
    free(profile->pages);
    free(profile->sites);
    free(profile);
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
    for (size_t i = 0; i < profile->capacity && count < profile->used; i++)
        if (profile->pages[i])
            profile->pages[count++] = profile->pages[i];
    qsort(profile->pages, count, sizeof *profile->pages, by_number);
}

static int64_t count_sectors(const VgProfile *profile)
{
    int64_t count = 0;
    for (size_t i = 0; i < profile->used; i++)
        for (int word = 0; word < VG_PAGE_WORDS; word++)
            count += __builtin_popcountll(profile->pages[i]->touched[word]);
    return count;
}

/* Writes the numbers of the set bits, the lowest being `first`, and up to AT_A_TIME more: how many there are of a word
 * cannot be foreseen. */
static inline uint64_t *put_bits(uint64_t *next, uint64_t first, uint64_t bits)
{
    int count = __builtin_popcountll(bits);
    for (int done = 0; done < count; done += AT_A_TIME)
        for (int i = 0; i < AT_A_TIME; i++, bits &= bits - 1)
            next[done + i] = first + (unsigned)__builtin_ctzll(bits | UINT64_C(1) << 63);
    return next + count;
}

static uint64_t *put_page(uint64_t *next, const Page *page)
{
    uint64_t first = page->number * VG_PAGE_SECTORS;
    for (unsigned part = 0; part < VG_PAGE_WORDS / VG_PART_LANES; part++) {
        VgPart words;
        memcpy(&words, page->touched + part * VG_PART_LANES, sizeof words);
        for (unsigned set = vg_set_lanes(words); set; set &= set - 1) {
            unsigned word = part * VG_PART_LANES + (unsigned)__builtin_ctz(set);
            next = put_bits(next, first + word * 64, page->touched[word]);
        }
    }
    return next;
}

/* What a launch before this one had for footprints, so that its pages need not be cleared again: the first number says
 * how much room that is. */
static _Atomic(uint64_t *) spare;

/* Room for some more sectors after the launch's footprints. */
static uint64_t *room_for(VgLaunch *launch, int64_t count)
{
    if (!launch->footprints && (launch->footprints = atomic_exchange(&spare, NULL)))
        launch->footprints_room = (int64_t)launch->footprints[0];
    if (launch->footprints_end + count > launch->footprints_room) {
        launch->footprints_room = 2 * (launch->footprints_end + count) + FIRST_ROOM;
        launch->footprints =
            realloc(launch->footprints, (size_t)launch->footprints_room * sizeof *launch->footprints);
    }
    return launch->footprints + launch->footprints_end;
}

/* Adds a block's footprint, in ascending order, to the launch's. */
static void hand_over(const VgProfile *profile, VgLaunch *launch)
{
    int64_t count = count_sectors(profile);
    uint64_t *next = room_for(launch, count + AT_A_TIME);
    for (size_t i = 0; i < profile->used; i++)
        next = put_page(next, profile->pages[i]);
    launch->footprint_starts[profile->number] = launch->footprints_end;
    launch->footprint_counts[profile->number] = count;
    launch->footprints_end += count;
}

void vg_profile_end(VgProfile *profile, VgLaunch *launch, int is_whole)
{
    order(profile);
    if (is_whole)
        hand_over(profile, launch);
    for (size_t i = 0; i < profile->used; i++) {
        profile->pages[i]->next = profile->unused;
        profile->unused = profile->pages[i];
    }
    clear(profile, launch);
}

/* Moves a launch's footprints to `out`. */
void vg_take_footprints(VgLaunch *launch, uint64_t *out)
{
    if (launch->footprints_end)
        memcpy(out, launch->footprints, (size_t)launch->footprints_end * sizeof *out);
    if (launch->footprints && launch->footprints_room <= MOST_SPARE) {
        launch->footprints[0] = (uint64_t)launch->footprints_room;
        launch->footprints = atomic_exchange(&spare, launch->footprints);
    }
    free(launch->footprints);
    launch->footprints = NULL;
    launch->footprints_end = launch->footprints_room = 0;
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

static Page *new_page(VgProfile *profile, uint64_t number)
{
    Page *page = profile->unused;
    if (page)
        profile->unused = page->next;
    else
        page = malloc(sizeof *page);
    *page = (Page){.number = number};
    return page;
}

static Page *page_of(VgProfile *profile, uint64_t number)
{
    Page **slot = slot_of(profile->pages, profile->capacity, number);
    if (!*slot && 2 * ++profile->used > profile->capacity) {
        grow(profile);
        slot = slot_of(profile->pages, profile->capacity, number);
    }
    if (!*slot)
        *slot = new_page(profile, number);
    return *slot;
}

Page *vg_turn_to(VgProfile *profile, uint64_t number)
{
    return profile->latest[number % LATEST_PAGES] = page_of(profile, number);
}
