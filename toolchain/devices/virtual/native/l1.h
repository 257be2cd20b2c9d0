/* The L1 that a sampled block has to itself: four ways of 128-byte lines in 32-byte sectors, empty at first. */
#ifndef VG_L1_H
#define VG_L1_H

#include <stdint.h>
#include <string.h>

#include "vectors.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define L1_MOST_SETS 512
#define L1_USUAL_SETS 256
#define L1_WAYS 4
#define L1_LINE_BYTES 128

typedef struct {
    uint32_t line[L1_WAYS]; /* low bits of the number plus one; 0: empty */
    uint32_t met; /* sectors that the scattered request `request` met, a byte a way */
    uint8_t sectors[L1_WAYS];
    uint32_t request;
    uint8_t oldest, unused[3];
} VgSet;

typedef uint32_t VgTags __attribute__((vector_size(16)));

typedef struct {
    VgSet set[L1_MOST_SETS];
    unsigned sets;
    uint32_t requests; /* scattered ones so far */
} VgL1;

static inline unsigned vg_l1_sets(int bytes)
{
    int sets = bytes / (L1_WAYS * L1_LINE_BYTES);
    return sets <= 0 ? L1_USUAL_SETS : sets < L1_MOST_SETS ? (unsigned)sets : L1_MOST_SETS;
}

/* Which ways hold a line, as bits. */
static inline unsigned vg_l1_find(const VgSet *set, uint32_t tag)
{
#if defined(__AVX512VL__)
    return _mm_cmpeq_epi32_mask(_mm_loadu_si128((const __m128i *)set->line), _mm_set1_epi32((int)tag));
#elif defined(__SSE2__)
    __m128i same = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)set->line), _mm_set1_epi32((int)tag));
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(same));
#else
    unsigned found = 0;
    for (unsigned way = 0; way < L1_WAYS; way++)
        found |= (unsigned)(set->line[way] == tag) << way;
    return found;
#endif
}

/* The way that holds a line or else, `found` being 0, the one that it gets. */
static inline unsigned vg_l1_way(const VgSet *set, unsigned found)
{
    return (unsigned)__builtin_ctz(found | (1u << L1_WAYS) << set->oldest % L1_WAYS) % L1_WAYS;
}

/* Has a way hold a line. All ways are written at once, as `vg_l1_find` reads them: it need not wait for that. */
static inline void vg_l1_put(VgSet *set, unsigned way, uint32_t tag)
{
    VgTags tags;
    memcpy(&tags, set->line, sizeof tags);
    const VgTags ways = {0, 1, 2, 3}, all_way = (VgTags){0} + way, is_way = (VgTags)(ways == all_way);
    tags = (is_way & tag) | (~is_way & tags);
    memcpy(set->line, &tags, sizeof tags);
}

#define L1_SPREAD 0x9e3779b1u

static inline VgSet *vg_l1_set(VgL1 *cache, uint64_t line)
{
    uint32_t spread = (uint32_t)line * L1_SPREAD;
    return &cache->set[(uint64_t)spread * cache->sets >> 32];
}

/* The numbers of several lines' sets. */
static inline VgPart vg_l1_places(const VgL1 *cache, VgPart line)
{
    const uint64_t low = UINT32_MAX, spread = L1_SPREAD, sets = cache->sets;
    return (((line & low) * spread & low) * sets) >> 32;
}

/* Looks sectors of a line up and brings them in; those that were missing. Without branches: hits of random
 * accesses cannot be foreseen. */
static inline unsigned vg_l1_fetch(VgL1 *cache, uint64_t line, unsigned sectors)
{
    uint32_t tag = (uint32_t)(line + 1);
    VgSet *set = vg_l1_set(cache, line);
    unsigned found = vg_l1_find(set, tag), is_hit = found != 0, way = vg_l1_way(set, found);
    unsigned held = set->sectors[way] & -is_hit;
    set->oldest = (uint8_t)(set->oldest + !is_hit);
    vg_l1_put(set, way, tag);
    set->sectors[way] = (uint8_t)(held | sectors);
    return sectors & ~held;
}

/* As `vg_l1_fetch` of lines that are mostly there: what is there is not written again. */
static inline unsigned vg_l1_look(VgL1 *cache, uint64_t line, unsigned sectors)
{
    VgSet *set = vg_l1_set(cache, line);
    unsigned found = vg_l1_find(set, (uint32_t)(line + 1));
    int is_there = found && !(sectors & ~set->sectors[__builtin_ctz(found)]);
    return is_there ? 0 : vg_l1_fetch(cache, line, sectors);
}

#endif
