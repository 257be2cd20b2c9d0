/* Launches: the call configuration stack, the checks that hardware makes, and the packed parameter block. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart.h"

/* --- `<<<grid, block, shared, stream>>>` --- */

typedef struct {
    dim3 grid, block;
    size_t dynamic_shared;
    void *stream;
} Configuration;

enum { MAX_NESTED = 32 };

static _Thread_local Configuration configurations[MAX_NESTED];
static _Thread_local int depth;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared, void *stream)
{
    if (depth == MAX_NESTED)
        return 1;
    configurations[depth++] = (Configuration){grid, block, dynamic_shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_shared, void **stream)
{
    if (!depth)
        return vgrt_done(cudaErrorMissingConfiguration);
    const Configuration *top = &configurations[--depth];
    *grid = top->grid, *block = top->block, *dynamic_shared = top->dynamic_shared, *stream = top->stream;
    return cudaSuccess;
}

/* --- checks --- */

enum {
    MAX_THREADS = 1024,
    MAX_BLOCK_Z = 64,
    MAX_GRID_X = 0x7fffffff,
    MAX_GRID_YZ = 65535,
    SHARED_WITHOUT_OPT_IN = 48 * 1024,
    PORTABLE_CLUSTER = 8,
    LARGEST_CLUSTER = 16,
};

static char cause[160]; /* why the last launch was refused, where that is known */

static cudaError_t because(cudaError_t error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(cause, sizeof cause, format, values);
    va_end(values);
    return error;
}

static uint64_t volume(dim3 shape) { return (uint64_t)shape.x * shape.y * shape.z; }

static cudaError_t check_shape(dim3 grid, dim3 block)
{
    const cudaError_t invalid = cudaErrorInvalidConfiguration;
    if (!volume(grid))
        return because(invalid, "the grid has no blocks");
    if (grid.x > MAX_GRID_X || grid.y > MAX_GRID_YZ || grid.z > MAX_GRID_YZ)
        return because(invalid, "a grid has at most (%d, %d, %d) blocks", MAX_GRID_X, MAX_GRID_YZ, MAX_GRID_YZ);
    if (!volume(block))
        return because(invalid, "the block has no threads");
    if (volume(block) > MAX_THREADS || block.z > MAX_BLOCK_Z)
        return because(invalid, "a block has at most %d threads, and %d in z", MAX_THREADS, MAX_BLOCK_Z);
    return cudaSuccess;
}

static cudaError_t check_cluster(const Function *function, dim3 grid, dim3 cluster)
{
    if (volume(cluster) <= 1)
        return cudaSuccess;
    int most = function->non_portable_cluster ? LARGEST_CLUSTER : PORTABLE_CLUSTER;
    if (volume(cluster) > (uint64_t)most)
        return because(cudaErrorInvalidClusterSize, "a cluster of this kernel has at most %d blocks", most);
    if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
        return because(cudaErrorInvalidConfiguration, "the grid is not made of whole clusters of (%u, %u, %u)",
                       cluster.x, cluster.y, cluster.z);
    return cudaSuccess;
}

static cudaError_t check_shared(const Function *function, size_t dynamic_shared)
{
    int64_t room = SHARED_WITHOUT_OPT_IN - function->facts->static_shared;
    int64_t most = vgrt_device.shared_per_block_optin - function->facts->static_shared;
    if (function->max_dynamic_shared > room)
        room = function->max_dynamic_shared;
    if ((int64_t)dynamic_shared <= room)
        return cudaSuccess;
    if ((int64_t)dynamic_shared > most)
        return because(cudaErrorInvalidValue, "a block of it can have %lld bytes of dynamic shared memory on this GPU",
                       (long long)most);
    return because(cudaErrorInvalidValue, "cudaFuncSetAttribute has to allow more than %lld bytes of dynamic shared memory",
                   (long long)room);
}

static cudaError_t check_resources(const Function *function, dim3 block)
{
    const VgKernelFacts *facts = function->facts;
    int64_t warps = ((int64_t)volume(block) + 31) / 32;
    int64_t registers_per_warp = (facts->registers * 32 + 255) / 256 * 256;
    if (warps * registers_per_warp > vgrt_device.registers_per_sm)
        return because(cudaErrorLaunchOutOfResources, "a block's threads need %d registers each, and an SM has %lld",
                       (int)facts->registers, (long long)vgrt_device.registers_per_sm);
    if (facts->max_threads && (int64_t)volume(block) > facts->max_threads)
        return because(cudaErrorLaunchOutOfResources, "its __launch_bounds__ allow %d threads", (int)facts->max_threads);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub, int threads, size_t dynamic_shared);

static cudaError_t check_cooperative(const void *stub, dim3 grid, dim3 block, size_t dynamic_shared)
{
    int blocks = 0;
    cudaError_t error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stub, (int)volume(block), dynamic_shared);
    if (error)
        return error;
    uint64_t most = (uint64_t)blocks * (uint64_t)vgrt_device.sm_count;
    if (volume(grid) > most)
        return because(cudaErrorCooperativeLaunchTooLarge, "%llu blocks of it fit on the GPU at once",
                       (unsigned long long)most);
    return cudaSuccess;
}

static cudaError_t check(const Function *function, const LaunchConfig *config, dim3 cluster, int cooperative)
{
    cudaError_t error = check_shape(config->grid, config->block);
    if (!error)
        error = check_shared(function, config->dynamic_shared);
    if (!error)
        error = check_resources(function, config->block);
    if (!error)
        error = check_cluster(function, config->grid, cluster);
    if (!error && cooperative)
        error = check_cooperative(function->stub, config->grid, config->block, config->dynamic_shared);
    return error;
}

/* --- the first refused launch, in words --- */

static char refused[480];

const char *vgrt_refused_launch(void) { return refused[0] ? refused : NULL; }
void vgrt_forget_refused_launch(void) { refused[0] = 0; }

static cudaError_t refuse(const char *kernel, const LaunchConfig *c, cudaError_t error)
{
    if (!refused[0])
        snprintf(refused, sizeof refused, "launch of %.160s<<<(%u, %u, %u), (%u, %u, %u), %zu>>> failed: %s (%d): %s%s%s",
                 kernel, c->grid.x, c->grid.y, c->grid.z, c->block.x, c->block.y, c->block.z, c->dynamic_shared,
                 cudaGetErrorName(error), (int)error, cudaGetErrorString(error), cause[0] ? ": " : "", cause);
    return vgrt_done(error);
}

/* nvcc puts a launch of nothing where a kernel template is declared with other qualifiers than it is defined with; on
 * hardware it fails alike. */
static cudaError_t refuse_nothing(void)
{
    if (!refused[0])
        snprintf(refused, sizeof refused,
                 "launch of a kernel template whose declaration and definition differ in const or __restrict__, which "
                 "nvcc compiles to a launch of nothing: write their parameters alike");
    return vgrt_done(cudaErrorInvalidDeviceFunction);
}

/* --- launching --- */

static void pack(uint8_t *block, const VgKernelFacts *facts, void **arguments)
{
    for (int i = 0; i < facts->parameter_count; i++)
        memcpy(block + facts->offsets[i], arguments[i], (size_t)facts->sizes[i]);
}

static dim3 cluster_of(const Function *function, const LaunchConfig *config)
{
    const int *own = function->cluster;
    dim3 cluster = own[0] ? (dim3){(uint32_t)own[0], (uint32_t)own[1], (uint32_t)own[2]} : (dim3){1, 1, 1};
    for (uint32_t i = 0; i < config->attribute_count; i++)
        if (config->attributes[i].id == ATTRIBUTE_CLUSTER)
            cluster = config->attributes[i].value.shape;
    return cluster;
}

static int is_set(const LaunchConfig *config, int attribute)
{
    for (uint32_t i = 0; i < config->attribute_count; i++)
        if (config->attributes[i].id == attribute && config->attributes[i].value.number)
            return 1;
    return 0;
}

static Work work_of(const Function *function, const LaunchConfig *config, dim3 cluster, int cooperative, void **arguments)
{
    uint8_t *parameters = calloc(1, (size_t)function->facts->parameter_bytes + 1);
    pack(parameters, function->facts, arguments);
    return (Work){.kind = WORK_LAUNCH,
                  .launch = {.kernel = function->name,
                             .grid = {config->grid.x, config->grid.y, config->grid.z},
                             .block = {config->block.x, config->block.y, config->block.z},
                             .cluster = {cluster.x, cluster.y, cluster.z},
                             .cooperative = (uint32_t)cooperative,
                             .overlaps = (uint32_t)is_set(config, ATTRIBUTE_OVERLAPS),
                             .dynamic_shared = config->dynamic_shared,
                             .parameters = parameters,
                             .parameter_bytes = (uint64_t)function->facts->parameter_bytes}};
}

cudaError_t vgrt_make_launch(const LaunchConfig *config, const void *stub, void **arguments, Work *work)
{
    cudaError_t error;
    if (!stub)
        return refuse_nothing();
    const Function *function = vgrt_function(stub, &error);
    cause[0] = 0;
    if (!function)
        return refuse("a kernel that the library does not hold", config, error);
    dim3 cluster = cluster_of(function, config);
    int cooperative = is_set(config, ATTRIBUTE_COOPERATIVE);
    error = check(function, config, cluster, cooperative);
    if (error)
        return refuse(function->name, config, error);
    *work = work_of(function, config, cluster, cooperative, arguments);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const LaunchConfig *config, const void *stub, void **arguments)
{
    Work work;
    cudaError_t error = vgrt_make_launch(config, stub, arguments, &work);
    if (error)
        return error;
    error = vgrt_submit(config->stream, &work);
    free((void *)work.launch.parameters);
    return vgrt_done(error);
}

cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t dynamic_shared,
                               void *stream)
{
    LaunchConfig config = {grid, block, dynamic_shared, stream, NULL, 0};
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

cudaError_t cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **arguments, size_t dynamic_shared,
                             void *stream)
{
    return __cudaLaunchKernel(stub, grid, block, arguments, dynamic_shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *stub, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamic_shared, void *stream)
{
    LaunchAttribute cooperative = {.id = ATTRIBUTE_COOPERATIVE, .value = {.number = 1}};
    LaunchConfig config = {grid, block, dynamic_shared, stream, &cooperative, 1};
    return cudaLaunchKernelExC(&config, stub, arguments);
}

cudaError_t cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    Work work = {.kind = WORK_HOST, .host = {function, data}};
    return vgrt_done(function ? vgrt_submit(stream, &work) : cudaErrorInvalidValue);
}

PER_THREAD(cudaLaunchKernelExC);
PER_THREAD(__cudaLaunchKernel);
PER_THREAD(cudaLaunchKernel);
PER_THREAD(cudaLaunchCooperativeKernel);
PER_THREAD(cudaLaunchHostFunc);
