/* The L1 that a sampled block has to itself: four ways of 128-byte lines in 32-byte sectors, empty at first. */
#ifndef VG_L1_H
#define VG_L1_H

#include <stdint.h>

#if defined(__AVX512VL__)
#include <immintrin.h>
#endif

#define L1_MOST_SETS 512
#define L1_USUAL_SETS 256
#define L1_WAYS 4
#define L1_LINE_BYTES 128

typedef struct {
    uint32_t line[L1_WAYS]; /* low bits of the number plus one; 0: empty */
    uint8_t sectors[L1_WAYS];
    uint8_t oldest, unused[11];
} VgSet;

typedef struct {
    VgSet set[L1_MOST_SETS];
    unsigned sets;
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
#else
    unsigned found = 0;
    for (unsigned way = 0; way < L1_WAYS; way++)
        found |= (unsigned)(set->line[way] == tag) << way;
    return found;
#endif
}

static inline VgSet *vg_l1_set(VgL1 *cache, uint64_t line)
{
    uint32_t spread = (uint32_t)line * 0x9e3779b1u;
    return &cache->set[(uint64_t)spread * cache->sets >> 32];
}

/* Looks sectors of a line up and brings them in; those that were missing. Without branches: hits of random
 * accesses cannot be foreseen. */
static inline unsigned vg_l1_fetch(VgL1 *cache, uint64_t line, unsigned sectors)
{
    uint32_t tag = (uint32_t)(line + 1);
    VgSet *set = vg_l1_set(cache, line);
    unsigned found = vg_l1_find(set, tag);
    unsigned is_hit = found != 0, victim = set->oldest % L1_WAYS;
    unsigned way = is_hit ? (unsigned)__builtin_ctz(found | 1u << L1_WAYS) : victim;
    unsigned held = is_hit ? set->sectors[way] : 0u;
    set->oldest = (uint8_t)(set->oldest + !is_hit);
    set->line[way] = tag;
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
