/* Memory pools: one, the device's. Settings are kept and answered without effect; what is in use is counted, and as
 * what is freed goes back at once, no more than that is reserved. */
#include <stdlib.h>

#include "cudart.h"

enum {
    POOL_FOLLOWS_EVENTS = 1,
    POOL_OPPORTUNISTIC,
    POOL_ADDS_DEPENDENCIES,
    POOL_RELEASE_THRESHOLD,
    POOL_RESERVED,
    POOL_RESERVED_HIGH,
    POOL_USED,
    POOL_USED_HIGH,
    POOL_ATTRIBUTES
};

static uint64_t pool_values[POOL_ATTRIBUTES] = {[POOL_FOLLOWS_EVENTS] = 1, [POOL_OPPORTUNISTIC] = 1, [POOL_ADDS_DEPENDENCIES] = 1};

/* --- what is in use --- */

typedef struct Lent {
    struct Lent *next;
    void *base;
    size_t bytes;
} Lent;

static Lent *lent;

static void set_used(uint64_t bytes)
{
    pool_values[POOL_USED] = pool_values[POOL_RESERVED] = bytes;
    for (int high = POOL_RESERVED_HIGH; high <= POOL_USED_HIGH; high += POOL_USED_HIGH - POOL_RESERVED_HIGH)
        if (pool_values[high] < bytes)
            pool_values[high] = bytes;
}

void vgrt_pool_gave(void *base, size_t bytes)
{
    Lent *one = malloc(sizeof *one);
    *one = (Lent){lent, base, bytes};
    lent = one;
    set_used(pool_values[POOL_USED] + bytes);
}

void vgrt_pool_took_back(void *base)
{
    for (Lent **at = &lent; *at; at = &(*at)->next)
        if ((*at)->base == base) {
            Lent *gone = *at;
            *at = gone->next;
            set_used(pool_values[POOL_USED] - gone->bytes);
            free(gone);
            return;
        }
}

/* --- the pool --- */

cudaError_t cudaDeviceGetDefaultMemPool(void **pool, int device)
{
    if (!pool || device)
        return vgrt_done(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    *pool = pool_values;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaDeviceGetMemPool(void **pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }

static int is_pool(const void *pool) { return pool == pool_values; }

cudaError_t cudaDeviceSetMemPool(int device, void *pool)
{
    if (device)
        return vgrt_done(cudaErrorInvalidDevice);
    return vgrt_done(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolCreate(void **pool, const void *properties)
{
    (void)properties;
    return cudaDeviceGetDefaultMemPool(pool, 0);
}

cudaError_t cudaMemPoolDestroy(void *pool) { return vgrt_done(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue); }

cudaError_t cudaMemPoolTrimTo(void *pool, size_t bytes)
{
    (void)bytes;
    return cudaMemPoolDestroy(pool);
}

static int is_attribute(const void *pool, int attribute, const void *value)
{
    return is_pool(pool) && attribute >= POOL_FOLLOWS_EVENTS && attribute < POOL_ATTRIBUTES && value;
}

/* High-water marks can be set to zero only, from where they rise anew, and what is now cannot be set at all. */
static int set_figure(int attribute, uint64_t value)
{
    if (value || (attribute != POOL_RESERVED_HIGH && attribute != POOL_USED_HIGH))
        return 0;
    pool_values[attribute] = pool_values[POOL_USED];
    return 1;
}

cudaError_t cudaMemPoolSetAttribute(void *pool, int attribute, void *value)
{
    if (!is_attribute(pool, attribute, value))
        return vgrt_done(cudaErrorInvalidValue);
    if (attribute >= POOL_RESERVED)
        return vgrt_done(set_figure(attribute, *(uint64_t *)value) ? cudaSuccess : cudaErrorInvalidValue);
    pool_values[attribute] = attribute < POOL_RELEASE_THRESHOLD ? *(uint32_t *)value : *(uint64_t *)value;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaMemPoolGetAttribute(void *pool, int attribute, void *value)
{
    if (!is_attribute(pool, attribute, value))
        return vgrt_done(cudaErrorInvalidValue);
    if (attribute < POOL_RELEASE_THRESHOLD)
        *(uint32_t *)value = (uint32_t)pool_values[attribute];
    else
        *(uint64_t *)value = pool_values[attribute];
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaMemPoolSetAccess(void *pool, const void *list, size_t count)
{
    (void)list, (void)count;
    return cudaMemPoolDestroy(pool);
}
