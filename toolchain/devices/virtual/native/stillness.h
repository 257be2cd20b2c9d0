/* How long a worker's blocks have gone round without any change. */
#ifndef VG_STILLNESS_H
#define VG_STILLNESS_H

#include "residents.h"

/* In processor seconds of the worker; zero where it never looked. */
typedef struct {
    uint64_t state, doubted; /* the last one seen, and the one that was looked at again */
    double looked, since;
    int is_still;
} VgStillness;

/* Looks, now and then, at the blocks of a worker that gets nowhere: whether they have long been the same. */
int vg_look(VgStillness *stillness, VgBlock *const *blocks, int count);

/* Lets the time begin anew, unless that was done for this state: others may have just changed something. */
int vg_look_again(VgStillness *stillness);

#endif
