/* The L1 that a sampled block has to itself: four ways of 128-byte lines in 32-byte sectors, empty at first. */
#ifndef VG_L1_H
#define VG_L1_H

#include <stdint.h>

#define L1_MOST_SETS 512
#define L1_USUAL_SETS 256
#define L1_WAYS 4
#define L1_LINE_BYTES 128

typedef struct {
    uint32_t line[L1_WAYS]; /* low bits of the number plus one; 0: empty */
    uint8_t sectors[L1_WAYS];
    uint8_t oldest, latest, unused[10];
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

/* Which way holds a line; it is brought in, without sectors, where none does. */
static inline int vg_l1_way(VgSet *set, uint32_t tag)
{
    for (int way = 0; way < L1_WAYS; way++)
        if (set->line[way] == tag)
            return way;
    int victim = set->oldest++ % L1_WAYS;
    set->line[victim] = tag;
    set->sectors[victim] = 0;
    return victim;
}

/* Looks sectors of a line up and brings them in; those that were missing. */
static inline unsigned vg_l1_fetch(VgL1 *cache, uint64_t line, unsigned sectors)
{
    uint32_t spread = (uint32_t)line * 0x9e3779b1u, tag = (uint32_t)(line + 1);
    VgSet *set = &cache->set[(uint64_t)spread * cache->sets >> 32];
    int way = set->latest;
    if (set->line[way] != tag)
        set->latest = (uint8_t)(way = vg_l1_way(set, tag));
    unsigned missing = sectors & ~(unsigned)set->sectors[way];
    if (missing)
        set->sectors[way] |= (uint8_t)sectors;
    return missing;
}

#endif
