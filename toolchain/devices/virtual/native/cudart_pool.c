/* Memory pools: one, the device's, whose settings are kept and answered without effect. */
#include "cudart.h"

enum { POOL_ATTRIBUTES = 9, POOL_RELEASE_THRESHOLD = 4, POOL_RESERVED = 5 };

static uint64_t pool_values[POOL_ATTRIBUTES];

cudaError_t cudaDeviceGetDefaultMemPool(void **pool, int device)
{
    *pool = pool_values;
    return vgrt_done(device ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaDeviceGetMemPool(void **pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }

cudaError_t cudaDeviceSetMemPool(int device, void *pool)
{
    return vgrt_done(device || !pool ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaMemPoolCreate(void **pool, const void *properties)
{
    (void)properties;
    return cudaDeviceGetDefaultMemPool(pool, 0);
}

cudaError_t cudaMemPoolDestroy(void *pool) { return vgrt_done(pool ? cudaSuccess : cudaErrorInvalidValue); }

cudaError_t cudaMemPoolTrimTo(void *pool, size_t bytes)
{
    (void)bytes;
    return cudaMemPoolDestroy(pool);
}

cudaError_t cudaMemPoolSetAttribute(void *pool, int attribute, void *value)
{
    if (!pool || attribute < 1 || attribute >= POOL_ATTRIBUTES || !value)
        return vgrt_done(cudaErrorInvalidValue);
    pool_values[attribute] = attribute < POOL_RELEASE_THRESHOLD ? *(uint32_t *)value : *(uint64_t *)value;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaMemPoolGetAttribute(void *pool, int attribute, void *value)
{
    if (!pool || attribute < 1 || attribute >= POOL_ATTRIBUTES || !value)
        return vgrt_done(cudaErrorInvalidValue);
    if (attribute < POOL_RELEASE_THRESHOLD)
        *(uint32_t *)value = (uint32_t)pool_values[attribute];
    else
        *(uint64_t *)value = attribute >= POOL_RESERVED ? (uint64_t)vg_live_bytes() : pool_values[attribute];
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaMemPoolSetAccess(void *pool, const void *list, size_t count)
{
    (void)list, (void)count;
    return cudaMemPoolDestroy(pool);
}
