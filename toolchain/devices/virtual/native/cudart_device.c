/* The device: its properties, attributes and limits, as the session describes it. */
#include <stdio.h>
#include <string.h>

#include "cudart.h"

VgDevice vgrt_device;

void vgrt_set_device(const VgDevice *device) { vgrt_device = *device; }

enum {
    SHARED_PER_BLOCK = 48 * 1024,
    RESERVED_SHARED = 1024,
    CONSTANT_BYTES = 64 * 1024,
    MAX_PITCH = 0x7fffffff,
    COPY_ENGINES = 3,
};

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) { return vgrt_done(device ? cudaErrorInvalidDevice : cudaSuccess); }

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    return cudaSetDevice(device);
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    (void)flags;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    *flags = 0;
    return vgrt_done(cudaSuccess);
}

static void describe_memory(DeviceProperties *out)
{
    const VgDevice *d = &vgrt_device;
    out->global_bytes = (size_t)d->dram_bytes;
    out->shared_per_block = SHARED_PER_BLOCK;
    out->shared_per_block_optin = (size_t)d->shared_per_block_optin;
    out->shared_per_sm = (size_t)d->shared_per_sm;
    out->reserved_shared_per_block = RESERVED_SHARED;
    out->constant_bytes = CONSTANT_BYTES;
    out->max_pitch = MAX_PITCH;
    out->l2_bytes = (int)d->l2_bytes;
    out->persisting_l2_bytes = (int)(d->l2_bytes * 3 / 4);
    out->access_policy_window = (int)(d->l2_bytes < 0x8000000 ? d->l2_bytes : 0x8000000);
    out->memory_bus_bits = (int)d->memory_bus_bits;
    out->texture_alignment = out->surface_alignment = 512;
    out->texture_pitch_alignment = 32;
    out->global_l1 = out->local_l1 = out->managed_memory = out->concurrent_managed_access = 1;
    out->unified_addressing = out->can_map_host_memory = out->host_register = out->memory_pools = 1;
    out->host_pointer_for_registered = 1;
}

static void describe_execution(DeviceProperties *out)
{
    const VgDevice *d = &vgrt_device;
    out->major = (int)d->major, out->minor = (int)d->minor;
    out->sm_count = (int)d->sm_count;
    out->registers_per_block = out->registers_per_sm = (int)d->registers_per_sm;
    out->warp_size = 32;
    out->max_threads_per_block = 1024;
    memcpy(out->max_block, (int[3]){1024, 1024, 64}, sizeof out->max_block);
    memcpy(out->max_grid, (int[3]){0x7fffffff, 65535, 65535}, sizeof out->max_grid);
    out->max_threads_per_sm = (int)d->warps_per_sm * 32;
    out->max_blocks_per_sm = (int)d->blocks_per_sm;
    out->concurrent_kernels = out->stream_priorities = out->cooperative_launch = out->compute_preemption = 1;
    out->cluster_launch = d->major >= 9;
    out->unified_function_pointers = 1;
    out->async_engines = COPY_ENGINES;
    out->ecc = 1;
}

cudaError_t cudaGetDeviceProperties(DeviceProperties *out, int device)
{
    if (!out || device)
        return vgrt_done(out ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", vgrt_device.name);
    memcpy(out->uuid, "virtual GPU 0000", sizeof out->uuid);
    describe_memory(out);
    describe_execution(out);
    return vgrt_done(cudaSuccess);
}

/* cudaDeviceAttr numbers; those not listed are 0. Values that a property holds are read from there. */
#define PROPERTY_ATTRIBUTES(X)                                                                                    \
    X(1, max_threads_per_block) X(2, max_block[0]) X(3, max_block[1]) X(4, max_block[2]) X(5, max_grid[0])        \
    X(6, max_grid[1]) X(7, max_grid[2]) X(8, shared_per_block) X(9, constant_bytes) X(10, warp_size)              \
    X(11, max_pitch) X(12, registers_per_block) X(14, texture_alignment) X(16, sm_count)                          \
    X(19, can_map_host_memory) X(31, concurrent_kernels) X(32, ecc) X(37, memory_bus_bits) X(38, l2_bytes)        \
    X(39, max_threads_per_sm) X(40, async_engines) X(41, unified_addressing) X(51, texture_pitch_alignment)       \
    X(75, major) X(76, minor) X(78, stream_priorities) X(79, global_l1) X(80, local_l1) X(81, shared_per_sm)      \
    X(82, registers_per_sm) X(83, managed_memory) X(89, concurrent_managed_access) X(90, compute_preemption)      \
    X(91, host_pointer_for_registered) X(95, cooperative_launch) X(97, shared_per_block_optin)                    \
    X(99, host_register) X(106, max_blocks_per_sm) X(108, persisting_l2_bytes) X(109, access_policy_window)       \
    X(111, reserved_shared_per_block) X(115, memory_pools) X(120, cluster_launch)

enum { LAST_ATTRIBUTE = 147, CLOCK_RATE = 13, OVERLAP = 15, MEMORY_CLOCK_RATE = 36, DOUBLE_RATIO = 87, SYNC_DOMAINS = 126 };

static int attribute_value(const DeviceProperties *properties, int attribute)
{
#define ATTRIBUTE_CASE(number, field) case number: return (int)properties->field;
    switch (attribute) {
        PROPERTY_ATTRIBUTES(ATTRIBUTE_CASE)
    case CLOCK_RATE:
        return (int)vgrt_device.clock_khz;
    case MEMORY_CLOCK_RATE:
        return (int)vgrt_device.memory_clock_khz;
    case OVERLAP:
        return 1;
    case DOUBLE_RATIO:
        return 2;
    case SYNC_DOMAINS:
        return 4;
    }
    return 0;
}

cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    DeviceProperties properties;
    if (!value || attribute < 1 || attribute > LAST_ATTRIBUTE)
        return vgrt_done(cudaErrorInvalidValue);
    cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (!error)
        *value = attribute_value(&properties, attribute);
    return error;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13000;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version) { return cudaDriverGetVersion(version); }

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = 0;
    return vgrt_done(device || peer ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaDeviceSetCacheConfig(int config)
{
    (void)config;
    return vgrt_done(cudaSuccess);
}

enum { FOUR_BYTE_BANKS = 1 };

/* Banks are four bytes wide on every GPU that there is still. */
cudaError_t cudaDeviceSetSharedMemConfig(int config)
{
    (void)config;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(int *config)
{
    *config = FOUR_BYTE_BANKS;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(int *config)
{
    *config = 0;
    return vgrt_done(cudaSuccess);
}

/* --- limits: kept and answered, without effect --- */

enum { LIMITS = 8 };

static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0, 0};

cudaError_t cudaDeviceGetLimit(size_t *value, int limit)
{
    if (limit < 0 || limit >= LIMITS || !value)
        return vgrt_done(cudaErrorUnsupportedLimit);
    *value = limits[limit];
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaDeviceSetLimit(int limit, size_t value)
{
    if (limit < 0 || limit >= LIMITS)
        return vgrt_done(cudaErrorUnsupportedLimit);
    limits[limit] = value;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaCtxResetPersistingL2Cache(void) { return vgrt_done(cudaSuccess); }
cudaError_t cudaProfilerStart(void) { return vgrt_done(cudaSuccess); }
cudaError_t cudaProfilerStop(void) { return vgrt_done(cudaSuccess); }
