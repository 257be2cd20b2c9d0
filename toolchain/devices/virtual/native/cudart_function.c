/* Kernel attributes and occupancy: how many blocks of a kernel fit on one multiprocessor. */
#include <string.h>

#include "cudart.h"

enum { RESERVED_SHARED = 1024, SHARED_UNIT = 128, REGISTER_UNIT = 256, SUBPARTITIONS = 4, ASSUMED_REGISTERS = 32 };

static int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Registers are given to warps by each of four subpartitions; a kernel whose count is unknown is taken to use 32. */
static int64_t warps_by_registers(const VgKernelFacts *facts)
{
    int64_t registers = facts->registers ? facts->registers : ASSUMED_REGISTERS;
    int64_t per_warp = round_up(registers * 32, REGISTER_UNIT);
    return vgrt_device.registers_per_sm / SUBPARTITIONS / per_warp * SUBPARTITIONS;
}

static int64_t resident_blocks(const VgKernelFacts *facts, int64_t threads, size_t dynamic_shared)
{
    int64_t warps = (threads + 31) / 32;
    if (warps < 1 || threads > (facts->max_threads ? facts->max_threads : 1024))
        return 0;
    int64_t shared = round_up(facts->static_shared + (int64_t)dynamic_shared + RESERVED_SHARED, SHARED_UNIT);
    int64_t blocks = least(vgrt_device.blocks_per_sm, vgrt_device.warps_per_sm / warps);
    blocks = least(blocks, warps_by_registers(facts) / warps);
    return least(blocks, vgrt_device.shared_per_sm / shared);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub, int threads, size_t dynamic_shared)
{
    cudaError_t error;
    const Function *function = vgrt_function(stub, &error);
    if (function && (threads <= 0 || !blocks))
        error = cudaErrorInvalidValue;
    if (!error)
        *blocks = (int)resident_blocks(function->facts, threads, dynamic_shared);
    return vgrt_done(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *stub, int threads,
                                                                   size_t dynamic_shared, unsigned flags)
{
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, stub, threads, dynamic_shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *stub, int blocks, int threads)
{
    cudaError_t error;
    (void)threads;
    const Function *function = vgrt_function(stub, &error);
    if (function && blocks <= 0)
        error = cudaErrorInvalidValue;
    if (!error) {
        int64_t share = vgrt_device.shared_per_sm / blocks / SHARED_UNIT * SHARED_UNIT - RESERVED_SHARED;
        share = least(share, vgrt_device.shared_per_block_optin) - function->facts->static_shared;
        *bytes = share > 0 ? (size_t)share : 0;
    }
    return vgrt_done(error);
}

static int64_t cluster_blocks(const LaunchConfig *config)
{
    for (uint32_t i = 0; i < config->attribute_count; i++) {
        const LaunchAttribute *attribute = &config->attributes[i];
        if (attribute->id == ATTRIBUTE_CLUSTER)
            return (int64_t)attribute->value.shape.x * attribute->value.shape.y * attribute->value.shape.z;
    }
    return 1;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *stub, const LaunchConfig *config)
{
    int blocks = 0, threads = (int)(config->block.x * config->block.y * config->block.z);
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stub, threads, config->dynamic_shared);
    int64_t size = cluster_blocks(config);
    *clusters = (int)(blocks * vgrt_device.sm_count / (size > 0 ? size : 1));
    return error;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *stub, const LaunchConfig *config)
{
    cudaError_t error;
    (void)config;
    const Function *function = vgrt_function(stub, &error);
    *size = function && function->non_portable_cluster ? 16 : 8;
    return vgrt_done(error);
}

static int max_threads_of(const VgKernelFacts *facts)
{
    int64_t by_registers = least(1024, warps_by_registers(facts) * 32);
    return (int)(facts->max_threads ? least(facts->max_threads, by_registers) : by_registers);
}

cudaError_t cudaFuncGetAttributes(FunctionAttributes *out, const void *stub)
{
    cudaError_t error;
    const Function *function = vgrt_function(stub, &error);
    memset(out, 0, sizeof *out);
    if (!function)
        return vgrt_done(error);
    const VgKernelFacts *facts = function->facts;
    int version = (int)(vgrt_device.major * 10 + vgrt_device.minor);
    *out = (FunctionAttributes){
        .shared_bytes = (size_t)facts->static_shared,
        .local_bytes = (size_t)facts->local_bytes,
        .max_threads = max_threads_of(facts),
        .registers = facts->registers ? facts->registers : ASSUMED_REGISTERS,
        .ptx_version = version,
        .binary_version = version,
        .max_dynamic_shared = function->max_dynamic_shared ? function->max_dynamic_shared : 49152 - facts->static_shared,
        .shared_carveout = -1,
        .cluster_must_be_set = facts->cluster[0] != 0,
        .cluster_width = function->cluster[0],
        .cluster_height = function->cluster[1],
        .cluster_depth = function->cluster[2],
        .non_portable_cluster = function->non_portable_cluster,
    };
    return vgrt_done(cudaSuccess);
}

static cudaError_t set_attribute(Function *function, int attribute, int value)
{
    switch (attribute) {
    case FUNCTION_MAX_DYNAMIC_SHARED:
        if (value < 0 || value + function->facts->static_shared > vgrt_device.shared_per_block_optin)
            return cudaErrorInvalidValue;
        function->max_dynamic_shared = value;
        return cudaSuccess;
    case FUNCTION_SHARED_CARVEOUT:
        return value < -1 || value > 100 ? cudaErrorInvalidValue : cudaSuccess;
    case FUNCTION_CLUSTER_WIDTH:
    case FUNCTION_CLUSTER_HEIGHT:
    case FUNCTION_CLUSTER_DEPTH:
        function->cluster[attribute - FUNCTION_CLUSTER_WIDTH] = value;
        return cudaSuccess;
    case FUNCTION_NON_PORTABLE_CLUSTER:
        function->non_portable_cluster = value != 0;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaFuncSetAttribute(const void *stub, int attribute, int value)
{
    cudaError_t error;
    Function *function = vgrt_function(stub, &error);
    return vgrt_done(function ? set_attribute(function, attribute, value) : error);
}

cudaError_t cudaKernelSetAttributeForDevice(const void *kernel, int attribute, int value, int device)
{
    return device ? vgrt_done(cudaErrorInvalidDevice) : cudaFuncSetAttribute(kernel, attribute, value);
}

cudaError_t cudaFuncSetCacheConfig(const void *stub, int config)
{
    cudaError_t error;
    (void)config;
    vgrt_function(stub, &error);
    return vgrt_done(error);
}

cudaError_t cudaFuncGetParamInfo(const void *stub, size_t index, size_t *offset, size_t *bytes)
{
    cudaError_t error;
    const Function *function = vgrt_function(stub, &error);
    if (function && index >= (size_t)function->facts->parameter_count)
        error = cudaErrorInvalidValue;
    if (!error) {
        *offset = (size_t)function->facts->offsets[index];
        if (bytes)
            *bytes = (size_t)function->facts->sizes[index];
    }
    return vgrt_done(error);
}

PER_THREAD(cudaFuncGetAttributes);
