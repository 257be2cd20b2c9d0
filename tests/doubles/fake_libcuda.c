/* NVIDIA's driver for tests of what calls it: one GPU, whose memory is this machine's, as in cuda_gpu.py.
 *
 * cuda-bindings asks cuGetProcAddress for every function and calls what it gets, so that here is seen what reaches
 * the driver: the compiler holds this file against NVIDIA's own header. */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long word;
enum { GRANULARITY = 1 << 16 };
static const CUdevice GPU = 0;
static const CUcontext CONTEXT = (CUcontext)0xC0;
static const CUmodule MODULE = (CUmodule)0x40;
static const CUfunction KERNEL = (CUfunction)0x41;
static const CUmemoryPool POOL = (CUmemoryPool)0x42;

#define REQUIRE(holds) if (!(holds)) return fprintf(stderr, "libcuda: %s: %s\n", __func__, #holds), CUDA_ERROR_INVALID_VALUE

static CUresult mapped(int protection, word at, size_t n, int kind, int file) {
    return mmap((void *)at, n, protection, kind, file, 0) == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) { REQUIRE(!flags); return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int *count) { return *count = 1, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *device, int index) { REQUIRE(index == 0); return *device = GPU, CUDA_SUCCESS; }
CUresult cuDeviceTotalMem(size_t *nbytes, CUdevice device) {
    REQUIRE(device == GPU);
    return *nbytes = 1ull << 34, CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char *id, int room, CUdevice device) {
    REQUIRE(room >= 17 && device == GPU);
    return strcpy(id, "00000000:1B:00.0"), CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    static const struct { CUdevice_attribute attribute; int value; } known[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 16},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT},
        {CU_DEVICE_ATTRIBUTE_MPS_ENABLED, 0},
        {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1},
        {CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 1 << 15},
        {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute) return *value = known[i].value, CUDA_SUCCESS;
    return fprintf(stderr, "libcuda: attribute %d is not faked\n", attribute), CUDA_ERROR_INVALID_VALUE;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) { return *context = CONTEXT, CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return CUDA_SUCCESS; }
static __thread CUcontext current; /* each thread has its own, and none at first */
CUresult cuCtxSetCurrent(CUcontext context) { REQUIRE(context == CONTEXT); return current = context, CUDA_SUCCESS; }
CUresult cuCtxSynchronize(void) {
    REQUIRE(current);
    int (*wait)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "fake_wait");
    return wait ? wait() : CUDA_SUCCESS;
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    REQUIRE(limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE && value == 0);
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
    REQUIRE(device == GPU);
    return *pool = POOL, CUDA_SUCCESS;
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
    REQUIRE(pool == POOL && attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD && *(cuuint64_t *)value == UINT64_MAX);
    return CUDA_SUCCESS;
}
CUresult cuCtxResetPersistingL2Cache(void) { return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult code, const char **words) { return *words = "words of the driver", CUDA_SUCCESS; }

CUresult cuMemGetAllocationGranularity(size_t *nbytes, const CUmemAllocationProp *p,
                                       CUmemAllocationGranularity_flags option) {
    REQUIRE(p->type == CU_MEM_ALLOCATION_TYPE_PINNED && p->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
    REQUIRE(option == CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    return *nbytes = GRANULARITY, CUDA_SUCCESS;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t n, const CUmemAllocationProp *p, word flags) {
    REQUIRE(n % GRANULARITY == 0 && p->location.id == GPU && !p->win32HandleMetaData && !flags);
    REQUIRE(p->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    int file = memfd_create("gpu", MFD_CLOEXEC);
    return *handle = file, file < 0 || ftruncate(file, n) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    return close(handle) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuMemExportToShareableHandle(void *file, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, word flags) {
    REQUIRE(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && !flags);
    return *(int *)file = dup(handle), CUDA_SUCCESS;
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *file,
                                        CUmemAllocationHandleType type) {
    REQUIRE(type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && (uintptr_t)file < 1024);
    return *handle = dup((uintptr_t)file), CUDA_SUCCESS;
}
CUresult cuMemAddressReserve(CUdeviceptr *at, size_t n, size_t alignment, CUdeviceptr wish, word flags) {
    REQUIRE(n % GRANULARITY == 0 && !alignment && !wish && !flags);
    *at = (CUdeviceptr)mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return *at == (CUdeviceptr)MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr at, size_t n) {
    return munmap((void *)at, n) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr at, size_t n, size_t offset, CUmemGenericAllocationHandle handle, word flags) {
    REQUIRE(!offset && !flags);
    return mapped(PROT_NONE, at, n, MAP_SHARED | MAP_FIXED, handle);
}
CUresult cuMemSetAccess(CUdeviceptr at, size_t n, const CUmemAccessDesc *a, size_t count) {
    REQUIRE(count == 1 && a->location.type == CU_MEM_LOCATION_TYPE_DEVICE && a->location.id == GPU);
    REQUIRE(a->flags == CU_MEM_ACCESS_FLAGS_PROT_READ || a->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    int rights = a->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ? PROT_READ : PROT_READ | PROT_WRITE;
    return mprotect((void *)at, n, rights) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuMemUnmap(CUdeviceptr at, size_t n) {
    return mapped(PROT_NONE, at, n, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
}

CUresult cuMemAlloc(CUdeviceptr *at, size_t n) { REQUIRE(current); return *at = (CUdeviceptr)malloc(n), CUDA_SUCCESS; }
CUresult cuMemFree(CUdeviceptr at) { return free((void *)at), CUDA_SUCCESS; }
CUresult cuMemGetInfo(size_t *left, size_t *all) { REQUIRE(current); return *left = 1ull << 33, *all = 1ull << 34, CUDA_SUCCESS; }
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t n) { REQUIRE(current); return memcpy((void *)to, from, n), CUDA_SUCCESS; }
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t n) { REQUIRE(current); return memcpy(to, (void *)from, n), CUDA_SUCCESS; }
CUresult cuMemsetD8(CUdeviceptr at, unsigned char value, size_t n) { REQUIRE(current); return memset((void *)at, value, n), CUDA_SUCCESS; }
CUresult cuMemsetD16(CUdeviceptr at, unsigned short value, size_t n) {
    REQUIRE(current && at % sizeof(short) == 0);
    for (size_t i = 0; i < n; i++) ((unsigned short *)at)[i] = value;
    return CUDA_SUCCESS;
}
CUresult cuMemsetD32(CUdeviceptr at, unsigned value, size_t n) {
    REQUIRE(current && at % sizeof(unsigned) == 0);
    for (size_t i = 0; i < n; i++) ((unsigned *)at)[i] = value;
    return CUDA_SUCCESS;
}
CUresult cuMemsetD32Async(CUdeviceptr at, unsigned value, size_t n, CUstream stream) {
    REQUIRE(stream == CU_STREAM_LEGACY);
    return cuMemsetD32(at, value, n);
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    REQUIRE(current);
    REQUIRE(flags == CU_EVENT_DEFAULT);
    return *event = calloc(1, sizeof(struct timespec)), CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent event) { return free(event), CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent event, CUstream stream) {
    REQUIRE(current);
    REQUIRE(stream == CU_STREAM_LEGACY);
    return clock_gettime(CLOCK_MONOTONIC, (struct timespec *)event), CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float *ms, CUevent begin, CUevent end) {
    struct timespec *b = (struct timespec *)begin, *e = (struct timespec *)end;
    return *ms = 1e3 * (e->tv_sec - b->tv_sec) + 1e-6 * (e->tv_nsec - b->tv_nsec), CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    REQUIRE(current);
    REQUIRE(!memcmp(image, "\177ELF", 4));
    return *module = MODULE, CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) { REQUIRE(module == MODULE); return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction *kernel, CUmodule module, const char *name) {
    REQUIRE(module == MODULE && !strcmp(name, "fingerprint"));
    return *kernel = KERNEL, CUDA_SUCCESS;
}
static word mix(word x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}
CUresult cuLaunchKernel(CUfunction kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, CUstream stream, void **arguments, void **extra) {
    REQUIRE(kernel == KERNEL && gx && gy == 1 && gz == 1 && bx && by == 1 && bz == 1 && !shared && !extra);
    word *words = *(word **)arguments[0], count = *(word *)arguments[1], seed = *(word *)arguments[2];
    for (word i = 0; i < count; i++) **(word **)arguments[3] += mix(words[i] ^ mix(i + seed));
    return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult *status) {
    static const char *const suffixes[] = {"_v2", "", "_v3"};
    void *here = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    char full[200];
    *function = NULL;
    for (int i = 0; i < 3 && !*function; i++) {
        snprintf(full, sizeof full, "%s%s", name, suffixes[i]);
        *function = dlsym(here, full);
    }
    if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
