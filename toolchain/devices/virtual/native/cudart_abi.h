/* Layouts and numbers of the CUDA 13 runtime's binary interface that candidates' host code relies on.
 * A test compares the structures with the toolkit's own header. */
#ifndef CUDART_ABI_H
#define CUDART_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef struct { uint32_t x, y, z; } dim3;
typedef struct { void *ptr; size_t pitch, xsize, ysize; } PitchedPointer;
typedef struct { size_t x, y, z; } Position;
typedef struct { size_t width, height, depth; } Extent;

typedef struct {
    void *src_array;
    Position src_pos;
    PitchedPointer src;
    void *dst_array;
    Position dst_pos;
    PitchedPointer dst;
    Extent extent;
    int kind;
} Copy3D;

typedef union {
    char pad[64];
    int number;
    dim3 shape;
} LaunchAttributeValue;

typedef struct {
    int id;
    char pad[4];
    LaunchAttributeValue value;
} LaunchAttribute;

typedef struct {
    dim3 grid, block;
    size_t dynamic_shared;
    void *stream;
    const LaunchAttribute *attributes;
    uint32_t attribute_count;
} LaunchConfig;

typedef struct {
    const void *function;
    dim3 grid, block;
    uint32_t dynamic_shared;
    void **arguments, **extra;
} KernelNode;

typedef struct {
    void *base;
    size_t pitch;
    uint32_t value, element_bytes;
    size_t width, height;
} FillNode;

enum { NODE_KERNEL, NODE_COPY, NODE_FILL, NODE_HOST, NODE_GRAPH, NODE_EMPTY };

enum { ATTRIBUTE_COOPERATIVE = 2, ATTRIBUTE_CLUSTER = 4, ATTRIBUTE_OVERLAPS = 6 };

typedef struct {
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared, shared_carveout;
    int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy, non_portable_cluster;
    int reserved[16];
} FunctionAttributes;

enum {
    FUNCTION_MAX_DYNAMIC_SHARED = 8,
    FUNCTION_SHARED_CARVEOUT = 9,
    FUNCTION_CLUSTER_WIDTH = 11,
    FUNCTION_CLUSTER_HEIGHT = 12,
    FUNCTION_CLUSTER_DEPTH = 13,
    FUNCTION_NON_PORTABLE_CLUSTER = 14,
};

typedef struct {
    int type, device;
    void *device_pointer, *host_pointer;
    long reserved[8];
} PointerAttributes;

enum { MEMORY_UNREGISTERED, MEMORY_HOST, MEMORY_DEVICE, MEMORY_MANAGED };
enum { COPY_HOST_TO_HOST, COPY_HOST_TO_DEVICE, COPY_DEVICE_TO_HOST, COPY_DEVICE_TO_DEVICE, COPY_DEFAULT };

typedef struct {
    char name[256];
    char uuid[16], luid[8];
    unsigned luid_node_mask;
    size_t global_bytes, shared_per_block;
    int registers_per_block, warp_size;
    size_t max_pitch;
    int max_threads_per_block, max_block[3], max_grid[3];
    size_t constant_bytes;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
    int sm_count, integrated, can_map_host_memory;
    int texture_limits[25];
    int surface_limits[14];
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified_addressing;
    int memory_bus_bits, l2_bytes, persisting_l2_bytes, max_threads_per_sm, stream_priorities;
    int global_l1, local_l1;
    size_t shared_per_sm;
    int registers_per_sm, managed_memory, multi_gpu_board, multi_gpu_group, host_atomics, pageable_access;
    int concurrent_managed_access, compute_preemption, host_pointer_for_registered, cooperative_launch;
    size_t shared_per_block_optin;
    int host_page_tables, direct_managed_access, max_blocks_per_sm, access_policy_window;
    size_t reserved_shared_per_block;
    int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools, direct_rdma;
    unsigned direct_rdma_flush;
    int direct_rdma_ordering;
    unsigned memory_pool_handles;
    int deferred_arrays, ipc_events, cluster_launch, unified_function_pointers, numa_config, numa_id, mps;
    int host_numa_id;
    unsigned gpu_pci_device, gpu_pci_subsystem;
    int host_numa_ipc, reserved[56];
} DeviceProperties;

/* Error codes: name, number, what cudaGetErrorString says. */
#define CUDA_ERRORS(X)                                                                                            \
    X(Success, 0, "no error")                                                                                     \
    X(ErrorInvalidValue, 1, "invalid argument")                                                                   \
    X(ErrorMemoryAllocation, 2, "out of memory")                                                                  \
    X(ErrorInitializationError, 3, "initialization error")                                                        \
    X(ErrorInvalidConfiguration, 9, "invalid configuration argument")                                             \
    X(ErrorInvalidPitchValue, 12, "invalid pitch argument")                                                       \
    X(ErrorInvalidSymbol, 13, "invalid device symbol")                                                            \
    X(ErrorInvalidDevicePointer, 17, "invalid device pointer")                                                    \
    X(ErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                       \
    X(ErrorMissingConfiguration, 52, "__global__ function call is not configured")                                \
    X(ErrorInvalidDeviceFunction, 98, "invalid device function")                                                  \
    X(ErrorNoDevice, 100, "no CUDA-capable device is detected")                                                   \
    X(ErrorInvalidDevice, 101, "invalid device ordinal")                                                          \
    X(ErrorInvalidKernelImage, 200, "device kernel image is invalid")                                             \
    X(ErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device")               \
    X(ErrorUnsupportedLimit, 215, "limit is not supported on this architecture")                                  \
    X(ErrorPeerAccessUnsupported, 217, "peer access is not supported between these two devices")                  \
    X(ErrorInvalidPtx, 218, "a PTX JIT compilation failed")                                                       \
    X(ErrorInvalidResourceHandle, 400, "invalid resource handle")                                                 \
    X(ErrorIllegalState, 401, "the operation cannot be performed in the present state")                           \
    X(ErrorSymbolNotFound, 500, "named symbol not found")                                                         \
    X(ErrorNotReady, 600, "device not ready")                                                                     \
    X(ErrorIllegalAddress, 700, "an illegal memory access was encountered")                                       \
    X(ErrorLaunchOutOfResources, 701, "too many resources requested for launch")                                  \
    X(ErrorLaunchTimeout, 702, "the launch timed out and was terminated")                                         \
    X(ErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped")       \
    X(ErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region")             \
    X(ErrorAssert, 710, "device-side assert triggered")                                                           \
    X(ErrorHardwareStackError, 714, "hardware stack error")                                                       \
    X(ErrorIllegalInstruction, 715, "an illegal instruction was encountered")                                     \
    X(ErrorMisalignedAddress, 716, "misaligned address")                                                          \
    X(ErrorInvalidAddressSpace, 717, "operation not supported on global/shared address space")                    \
    X(ErrorInvalidPc, 718, "invalid program counter")                                                             \
    X(ErrorLaunchFailure, 719, "unspecified launch failure")                                                      \
    X(ErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                               \
    X(ErrorNotPermitted, 800, "operation not permitted")                                                          \
    X(ErrorNotSupported, 801, "operation not supported")                                                          \
    X(ErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")                     \
    X(ErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")              \
    X(ErrorStreamCaptureMerge, 902, "operation would result in a merge of separate capture sequences")            \
    X(ErrorStreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began")                   \
    X(ErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")                                      \
    X(ErrorStreamCaptureImplicit, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
    X(ErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream")         \
    X(ErrorGraphExecUpdateFailure, 910, "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update") \
    X(ErrorInvalidClusterSize, 912, "invalid cluster size")                                                       \
    X(ErrorUnknown, 999, "unknown error")

#define CUDA_ERROR_ENUM(name, number, text) cuda##name = number,
typedef enum { CUDA_ERRORS(CUDA_ERROR_ENUM) } cudaError_t;

#endif
