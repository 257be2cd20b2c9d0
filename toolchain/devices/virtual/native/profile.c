/* What a sampled block leaves behind: misses of a modelled L1, and the distinct sectors it touched. */
#include "profile.h"

#include <stdlib.h>

#define MOST_SETS 512
#define USUAL_SETS 256
#define WAYS 4
#define LINE_BYTES 128
#define PAGE_SECTORS 2048
#define PAGE_WORDS (PAGE_SECTORS / 64)

/* The L1 a block has to itself: four ways of 128-byte lines in 32-byte sectors, empty when it begins. */
typedef struct {
    uint32_t line[MOST_SETS][WAYS]; /* low bits of the number plus one; 0: empty */
    uint8_t sectors[MOST_SETS][WAYS], oldest[MOST_SETS];
    unsigned sets;
} Cache;

/* Which sectors of an aligned stretch of memory were touched. */
typedef struct {
    uint64_t number;
    uint64_t touched[PAGE_WORDS];
} Page;

struct VgProfile {
    Cache cache;
    int64_t number;
    Page **pages; /* open addressing by number; null: empty */
    size_t used, capacity;
    Page *latest;
};

VgProfile *vg_profile_new(VgBlock *block, int64_t number)
{
    VgProfile *profile = calloc(1, sizeof *profile);
    int sets = block->launch->l1_bytes / (WAYS * LINE_BYTES);
    profile->cache.sets = sets <= 0 ? USUAL_SETS : sets < MOST_SETS ? (unsigned)sets : MOST_SETS;
    profile->number = number;
    profile->capacity = 256;
    profile->pages = calloc(profile->capacity, sizeof *profile->pages);
    return profile;
}

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
    free(profile);
}

void vg_free_footprint(uint64_t *sectors)
{
    free(sectors);
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

static void touch(VgProfile *profile, uint64_t line, unsigned sectors)
{
    uint64_t first = line * LINE_SECTORS, number = first / PAGE_SECTORS;
    if (!profile->latest || profile->latest->number != number)
        profile->latest = page_of(profile, number);
    profile->latest->touched[first % PAGE_SECTORS / 64] |= (uint64_t)sectors << first % 64;
}

/* Looks sectors of a line up and brings them in; how many were missing. */
static int fetch(Cache *cache, uint64_t line, unsigned sectors)
{
    uint32_t spread = (uint32_t)line * 0x9e3779b1u, tag = (uint32_t)(line + 1);
    unsigned set = (unsigned)((uint64_t)spread * cache->sets >> 32);
    int found = -1;
    for (int way = 0; way < WAYS; way++)
        found = cache->line[set][way] == tag ? way : found;
    if (found >= 0) {
        unsigned missing = sectors & ~(unsigned)cache->sectors[set][found];
        cache->sectors[set][found] |= (uint8_t)sectors;
        return __builtin_popcount(missing);
    }
    int victim = cache->oldest[set]++ % WAYS;
    cache->line[set][victim] = tag;
    cache->sectors[set][victim] = (uint8_t)sectors;
    return __builtin_popcount(sectors);
}

/* Stores and atomics go past L1. */
void vg_access_line(const VgRequest *request, uint64_t line, unsigned sectors)
{
    int loads = request->kind == VG_LOAD || request->kind == VG_ASYNC_COPY;
    int amount = __builtin_popcount(sectors);
    int missed = loads ? fetch(&request->profile->cache, line, sectors) : amount;
    request->counters[SECTORS] += amount;
    request->counters[MISSED_SECTORS] += missed;
    request->counters[LINES]++;
    if (missed && request->keeps_footprint)
        touch(request->profile, line, sectors);
}
