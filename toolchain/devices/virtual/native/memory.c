/* Device memory: a sorted table of allocations in this process's own memory.
 * Device addresses are host addresses. Allocations keep a distance, so that a small step outside one never
 * lands in another. */
#include "watch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 512
#define DISTANCE 4096
#define POISON 0xff
#define MOST_FREED 64
#define MOST_FREED_BYTES (64u << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VgAllocation *table;
static size_t count, capacity;
static int64_t live_bytes;
static int is_tracking; /* whether new blank memory is followed byte by byte */

/* What was freed last is kept for a while, so that its addresses mean nothing else. */
static VgAllocation freed[MOST_FREED];
static size_t freed_count, freed_bytes;

/* Address space for allocations and nothing else, each address used once; none where memory is malloc's. */
static uint8_t *arena, *arena_next, *arena_end;

/* Reserves an arena of `bytes` for all later allocations, once; its first address, NULL where there is none. */
void *vg_reserve_arena(size_t bytes)
{
    if (arena)
        return arena;
    void *base = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    arena = arena_next = base;
    arena_end = arena_next + bytes;
    return base;
}

/* Unused addresses of the arena for `bytes`, on a page, without memory yet; NULL where there are none. */
void *vg_place(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE); /* 64 KiB on some machines of Arm's */
    size_t whole = (bytes + 2 * page - 1) / page * page;
    if (whole < bytes || whole > (size_t)(arena_end - arena_next))
        return NULL;
    arena_next += whole;
    return arena_next - whole;
}

static uint8_t *obtain(size_t bytes)
{
    if (!arena)
        return aligned_alloc(ALIGNMENT, bytes);
    void *place = vg_place(bytes);
    if (!place)
        return NULL;
    void *got = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return got == MAP_FAILED ? NULL : got;
}

static void give_back(uint8_t *memory, size_t bytes)
{
    if (memory >= arena && memory < arena_end)
        mmap(memory, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    else
        free(memory);
}

static size_t whole_bytes(size_t bytes) { return (bytes + 2 * DISTANCE + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

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
    table[place].shadow = calloc(1, sizeof(VgShadow));
    count++;
    live_bytes += allocation.owned ? (int64_t)allocation.bytes : 0;
    return 0;
}

static void drop_shadow(VgShadow *shadow)
{
    free(shadow->written);
    free(shadow->cells);
    free(shadow);
}

/* Takes the allocation that begins at `base` and has the given owner out of the table. */
static int take_out(uint64_t base, int owned, VgAllocation *out)
{
    size_t place = above(base);
    if (!place || table[place - 1].base != base || table[place - 1].owned != owned)
        return -1;
    *out = table[place - 1];
    drop_shadow(out->shadow);
    live_bytes -= owned ? (int64_t)table[place - 1].bytes : 0;
    memmove(table + place - 1, table + place, (count - place) * sizeof *table);
    count--;
    return 0;
}

/* Poisoned memory of `bytes`, aligned to 512; NULL where there is none. `flags`: VG_WRITABLE, VG_BLANK. */
void *vg_alloc(size_t bytes, int flags)
{
    size_t whole = whole_bytes(bytes);
    uint8_t *memory = whole < bytes ? NULL : obtain(whole);
    if (!memory)
        return NULL;
    memset(memory, POISON, whole);
    VgAllocation allocation = {(uint64_t)(uintptr_t)(memory + DISTANCE), bytes, flags & VG_WRITABLE, 1, "", NULL};
    pthread_mutex_lock(&lock);
    int failed = insert(allocation);
    pthread_mutex_unlock(&lock);
    if (!failed && is_tracking && flags & VG_BLANK)
        vg_blank(memory + DISTANCE);
    if (!failed)
        return memory + DISTANCE;
    give_back(memory, whole);
    return NULL;
}

static void release_oldest(void)
{
    give_back((uint8_t *)(uintptr_t)freed[0].base - DISTANCE, whole_bytes(freed[0].bytes));
    freed_bytes -= freed[0].bytes;
    memmove(freed, freed + 1, --freed_count * sizeof *freed);
}

static void keep_freed(VgAllocation allocation)
{
    if (freed_count == MOST_FREED)
        release_oldest();
    freed[freed_count++] = allocation;
    freed_bytes += allocation.bytes;
    while (freed_bytes > MOST_FREED_BYTES)
        release_oldest();
}

/* 0, or -1 where `base` is not what vg_alloc returned. */
int vg_free(void *base)
{
    VgAllocation allocation;
    pthread_mutex_lock(&lock);
    int failed = take_out((uint64_t)(uintptr_t)base, 1, &allocation);
    if (!failed)
        keep_freed(allocation);
    pthread_mutex_unlock(&lock);
    return failed;
}

/* Not locked: the table does not change during a launch. */
const VgAllocation *vg_freed(uint64_t address)
{
    for (size_t i = freed_count; i--;)
        if (address - freed[i].base < freed[i].bytes)
            return &freed[i];
    return NULL;
}

/* Makes memory that somebody else owns known to kernels under a name; -1 where it overlaps other memory. */
int vg_register(void *base, size_t bytes, int writable, const char *name)
{
    VgAllocation allocation = {(uint64_t)(uintptr_t)base, bytes, writable, 0, "", NULL};
    strncpy(allocation.name, name, sizeof allocation.name - 1);
    pthread_mutex_lock(&lock);
    int failed = insert(allocation);
    pthread_mutex_unlock(&lock);
    return failed;
}

int vg_unregister(void *base)
{
    VgAllocation allocation;
    pthread_mutex_lock(&lock);
    int failed = take_out((uint64_t)(uintptr_t)base, 0, &allocation);
    pthread_mutex_unlock(&lock);
    return failed;
}

/* Lists memory that another process allocated, as if vg_alloc had; -1 where it overlaps other memory. */
int vg_adopt(void *base, size_t bytes, const char *name)
{
    VgAllocation allocation = {(uint64_t)(uintptr_t)base, bytes, VG_WRITABLE, 1, "", NULL};
    strncpy(allocation.name, name, sizeof allocation.name - 1);
    pthread_mutex_lock(&lock);
    int failed = insert(allocation);
    pthread_mutex_unlock(&lock);
    return failed;
}

/* The inverse; -1 where `base` was not adopted. */
int vg_disown(void *base)
{
    VgAllocation allocation;
    pthread_mutex_lock(&lock);
    int failed = take_out((uint64_t)(uintptr_t)base, 1, &allocation);
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

/* --- what the bytes went through ------------------------------------------------------------------------------------ */

/* From now on memory that is allocated blank is followed byte by byte. */
void vg_track(int on)
{
    is_tracking = on;
    if (!on)
        vg_forget_written();
}

/* Nothing has written the allocation at `base` yet; nothing is known of it where there is no memory to tell. */
void vg_blank(void *base)
{
    const VgAllocation *found = vg_nearest((uint64_t)(uintptr_t)base);
    if (found && found->base == (uint64_t)(uintptr_t)base && !found->shadow->written)
        found->shadow->written = calloc(found->bytes, 1);
}

void vg_note_written(const void *address, size_t bytes)
{
    const VgAllocation *found = is_tracking ? vg_nearest((uint64_t)(uintptr_t)address) : NULL;
    uint64_t offset = found ? (uint64_t)(uintptr_t)address - found->base : 0;
    if (found && offset < found->bytes && bytes <= found->bytes - offset && found->shadow->written)
        memset(found->shadow->written + offset, 1, bytes);
}

void vg_forget_written(void)
{
    for (size_t i = 0; i < count; i++) {
        free(table[i].shadow->written);
        table[i].shadow->written = NULL;
    }
}

void vg_forget_cells(void)
{
    for (size_t i = 0; i < count; i++) {
        free(table[i].shadow->cells);
        table[i].shadow->cells = NULL;
    }
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

/* Not locked: the table does not change during a launch. */
uint64_t vg_memory_state(void)
{
    uint64_t state = 0;
    for (size_t i = 0; i < count; i++)
        if (table[i].writable)
            state = 5 * state + vg_mixed((const void *)(uintptr_t)table[i].base, table[i].bytes);
    return state;
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
