/* What a sampled block leaves behind: misses of a modelled L1, and the distinct sectors it touched. */
#include "profile.h"

#include <stdlib.h>

#define MOST_SETS 512
#define USUAL_SETS 256
#define WAYS 4
#define LINE_BYTES 128

/* The L1 a block has to itself: four ways of 128-byte lines in 32-byte sectors, empty when it begins. */
typedef struct {
    uint32_t line[MOST_SETS][WAYS]; /* low bits of the number plus one; 0: empty */
    uint8_t sectors[MOST_SETS][WAYS], oldest[MOST_SETS];
    unsigned sets;
} Cache;

struct VgProfile {
    Cache cache;
    int64_t number;
    uint64_t *lines; /* open addressing: number of a line << 4 | its touched sectors; 0: empty */
    size_t used, capacity;
};

VgProfile *vg_profile_new(VgBlock *block, int64_t number)
{
    VgProfile *profile = calloc(1, sizeof *profile);
    int sets = block->launch->l1_bytes / (WAYS * LINE_BYTES);
    profile->cache.sets = sets <= 0 ? USUAL_SETS : sets < MOST_SETS ? (unsigned)sets : MOST_SETS;
    profile->number = number;
    profile->capacity = 1024;
    profile->lines = calloc(profile->capacity, sizeof *profile->lines);
    return profile;
}

/* Hands the footprint over to the launch, if there is one. */
void vg_profile_end(VgProfile *profile, VgLaunch *launch)
{
    if (launch) {
        uint64_t *sectors = malloc((LINE_SECTORS * profile->used + 1) * sizeof *sectors);
        int64_t count = 0;
        for (size_t i = 0; i < profile->capacity; i++)
            for (unsigned mask = profile->lines[i] & 15; mask; mask &= mask - 1)
                sectors[count++] = (profile->lines[i] >> 4) * LINE_SECTORS + (unsigned)__builtin_ctz(mask);
        launch->footprints[profile->number] = sectors;
        launch->footprint_counts[profile->number] = count;
    }
    free(profile->lines);
    free(profile);
}

void vg_free_footprint(uint64_t *sectors)
{
    free(sectors);
}

static uint64_t *slot_of(uint64_t *lines, size_t capacity, uint64_t line)
{
    size_t place = (line * 0x9e3779b97f4a7c15u) >> 20 & (capacity - 1);
    while (lines[place] && lines[place] >> 4 != line)
        place = (place + 1) & (capacity - 1);
    return &lines[place];
}

static void grow(VgProfile *profile)
{
    size_t capacity = 2 * profile->capacity;
    uint64_t *lines = calloc(capacity, sizeof *lines);
    for (size_t i = 0; i < profile->capacity; i++)
        if (profile->lines[i])
            *slot_of(lines, capacity, profile->lines[i] >> 4) = profile->lines[i];
    free(profile->lines);
    profile->lines = lines;
    profile->capacity = capacity;
}

static void touch(VgProfile *profile, uint64_t line, unsigned sectors)
{
    uint64_t *slot = slot_of(profile->lines, profile->capacity, line);
    if (!*slot && 2 * ++profile->used > profile->capacity) {
        grow(profile);
        slot = slot_of(profile->lines, profile->capacity, line);
    }
    *slot = line << 4 | (*slot & 15) | sectors;
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
