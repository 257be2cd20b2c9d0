/* Device memory: a sorted table of allocations in this process's own memory.
 * Device addresses are host addresses. Allocations keep a distance, so that a small step outside one never
 * lands in another. */
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 512
#define DISTANCE 4096
#define POISON 0xff

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VgAllocation *table;
static size_t count, capacity;
static int64_t live_bytes;

/* Index of the first allocation that begins above `address`. */
static size_t above(uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int insert(VgAllocation allocation)
{
    size_t place = above(allocation.base);
    if (place && table[place - 1].base + table[place - 1].bytes > allocation.base)
        return -1;
    if (place < count && allocation.base + allocation.bytes > table[place].base)
        return -1;
    if (count == capacity) {
        size_t larger = capacity ? 2 * capacity : 64;
        VgAllocation *moved = realloc(table, larger * sizeof *table);
        if (!moved)
            return -1;
        table = moved;
        capacity = larger;
    }
    memmove(table + place + 1, table + place, (count - place) * sizeof *table);
    table[place] = allocation;
    count++;
    live_bytes += allocation.owned ? (int64_t)allocation.bytes : 0;
    return 0;
}

/* Takes the allocation that begins at `base` and has the given owner out of the table. */
static int take_out(uint64_t base, int owned)
{
    size_t place = above(base);
    if (!place || table[place - 1].base != base || table[place - 1].owned != owned)
        return -1;
    live_bytes -= owned ? (int64_t)table[place - 1].bytes : 0;
    memmove(table + place - 1, table + place, (count - place) * sizeof *table);
    count--;
    return 0;
}

/* Poisoned memory of `bytes`, aligned to 512; NULL where there is none. `flags`: VG_WRITABLE. */
void *vg_alloc(size_t bytes, int flags)
{
    size_t whole = (bytes + 2 * DISTANCE + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    uint8_t *memory = whole < bytes ? NULL : aligned_alloc(ALIGNMENT, whole);
    if (!memory)
        return NULL;
    memset(memory, POISON, whole);
    VgAllocation allocation = {(uint64_t)(uintptr_t)(memory + DISTANCE), bytes, flags & VG_WRITABLE, 1, ""};
    pthread_mutex_lock(&lock);
    int failed = insert(allocation);
    pthread_mutex_unlock(&lock);
    if (!failed)
        return memory + DISTANCE;
    free(memory);
    return NULL;
}

/* 0, or -1 where `base` is not what vg_alloc returned. */
int vg_free(void *base)
{
    pthread_mutex_lock(&lock);
    int failed = take_out((uint64_t)(uintptr_t)base, 1);
    pthread_mutex_unlock(&lock);
    if (!failed)
        free((uint8_t *)base - DISTANCE);
    return failed;
}

/* Makes memory that somebody else owns known to kernels under a name; -1 where it overlaps other memory. */
int vg_register(void *base, size_t bytes, int writable, const char *name)
{
    VgAllocation allocation = {(uint64_t)(uintptr_t)base, bytes, writable, 0, ""};
    strncpy(allocation.name, name, sizeof allocation.name - 1);
    pthread_mutex_lock(&lock);
    int failed = insert(allocation);
    pthread_mutex_unlock(&lock);
    return failed;
}

int vg_unregister(void *base)
{
    pthread_mutex_lock(&lock);
    int failed = take_out((uint64_t)(uintptr_t)base, 0);
    pthread_mutex_unlock(&lock);
    return failed;
}

/* Names an allocation for messages. */
void vg_name(void *base, const char *name)
{
    pthread_mutex_lock(&lock);
    size_t place = above((uint64_t)(uintptr_t)base);
    if (place && table[place - 1].base == (uint64_t)(uintptr_t)base)
        strncpy(table[place - 1].name, name, sizeof table[0].name - 1);
    pthread_mutex_unlock(&lock);
}

int64_t vg_live_bytes(void)
{
    return live_bytes;
}

/* Not locked: the table does not change during a launch. */
const VgAllocation *vg_nearest(uint64_t address)
{
    size_t place = above(address);
    const VgAllocation *below = place ? table + place - 1 : NULL;
    const VgAllocation *next = place < count ? table + place : NULL;
    if (!below || !next)
        return below ? below : next;
    uint64_t end = below->base + below->bytes;
    return address < end || address - end <= next->base - address ? below : next;
}

/* Copies up to `most` (first address, bytes) pairs; returns how many allocations there are. */
int64_t vg_list(uint64_t *pairs, int64_t most)
{
    for (size_t i = 0; i < count && (int64_t)i < most; i++) {
        pairs[2 * i] = table[i].base;
        pairs[2 * i + 1] = table[i].bytes;
    }
    return (int64_t)count;
}
