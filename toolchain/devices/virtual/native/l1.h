/* The L1 that a sampled block has to itself: four ways of 128-byte lines in 32-byte sectors, empty at first. Which
 * sectors of a line it has stands with the line; here stands only what makes room for what. */
#ifndef VG_L1_H
#define VG_L1_H

#include <stdint.h>
#include <string.h>

#define L1_MOST_SETS 512
#define L1_USUAL_SETS 256
#define L1_WAYS 4
#define L1_LINE_BYTES 128
#define NO_PLACE (L1_MOST_SETS * L1_WAYS)
#define L1_SPREAD 0x9e3779b1u

typedef struct {
    uint8_t *held[L1_MOST_SETS * L1_WAYS + 1]; /* where it is said what it has of each of its lines, or `none` */
    uint8_t oldest[L1_MOST_SETS], none;
    unsigned sets;
} VgL1;

static inline unsigned vg_l1_sets(int bytes)
{
    int sets = bytes / (L1_WAYS * L1_LINE_BYTES);
    return sets <= 0 ? L1_USUAL_SETS : sets < L1_MOST_SETS ? (unsigned)sets : L1_MOST_SETS;
}

static inline void vg_l1_empty(VgL1 *cache)
{
    const unsigned places = L1_WAYS * cache->sets;
    uint8_t *const none = &cache->none;
    for (unsigned place = 0; place < places; place++)
        cache->held[place] = none;
    cache->held[NO_PLACE] = &cache->none;
    memset(cache->oldest, 0, cache->sets);
}

/* Makes room for a line that is new, at the cost of the oldest of its set, if there is one; `held` says what L1 has of
 * it. Without branches, here as where it is called: what is new, and which sets are full, cannot be foreseen. */
static inline void vg_l1_make_room(VgL1 *cache, unsigned sets, uint64_t line, uint8_t *held, unsigned is_new)
{
    uint32_t spread = (uint32_t)line * L1_SPREAD;
    uint64_t set = (uint64_t)spread * sets >> 32;
    unsigned oldest = cache->oldest[set];
    cache->oldest[set] = (uint8_t)((oldest + is_new) % L1_WAYS);
    uint64_t mask = -(uint64_t)is_new, place = ((set * L1_WAYS + oldest) & mask) | (NO_PLACE & ~mask);
    *cache->held[place] = 0;
    uintptr_t none = (uintptr_t)&cache->none, both = (uintptr_t)held ^ none;
    cache->held[place] = (uint8_t *)(none ^ (both & mask));
}

#endif
