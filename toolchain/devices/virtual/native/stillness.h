/* How long a worker's blocks have gone round without any change. */
#ifndef VG_STILLNESS_H
#define VG_STILLNESS_H

#include "residents.h"

/* In processor seconds of the worker; zero where it never looked. */
typedef struct {
    uint64_t state; /* the last one seen */
    double looked, since;
    int is_still, knows_memory;
    uint64_t memory;
} VgStillness;

/* Looks, now and then, at the blocks of a worker that gets nowhere: whether they have long been the same. */
int vg_look(VgStillness *stillness, VgBlock *const *blocks, int count);

/* Whether any memory has changed since this was asked last, or it is asked first. The time begins anew. */
int vg_memory_changes(VgStillness *stillness, VgBlock *const *blocks, int count);

#endif
