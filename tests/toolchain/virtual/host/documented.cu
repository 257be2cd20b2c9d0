// What the documentation of the CUDA runtime says of calls, asked one by one. Each entry reports through `out`.
#include <cstring>
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) plain(float* x, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x % 64] = n;
  __syncthreads();
  x[threadIdx.x] = tile[0];
}

extern "C" int copies_volumes(int* out, cudaStream_t stream) {
  cudaPitchedPtr volume;
  cudaExtent extent = make_cudaExtent(12, 3, 2);  // bytes, rows, slices
  out[0] = cudaMalloc3D(&volume, extent);
  out[1] = volume.pitch >= 12 && volume.pitch % 512 == 0;
  out[2] = (int)volume.xsize, out[3] = (int)volume.ysize;
  out[4] = cudaMemset3DAsync(volume, 7, extent, stream);
  int host[18];
  memset(host, 0, sizeof host);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = volume;
  copy.dstPtr = make_cudaPitchedPtr(host, 12, 12, 3);
  copy.extent = extent;
  copy.kind = cudaMemcpyDeviceToHost;
  out[5] = cudaMemcpy3D(&copy);
  out[6] = host[0] == 0x07070707, out[7] = host[17] == 0x07070707;
  void* pitched;
  size_t pitch;
  out[8] = cudaMallocPitch(&pitched, &pitch, 100, 4);
  out[9] = pitch >= 100 && pitch % 512 == 0;
  out[10] = cudaMemset2D(pitched, pitch, 1, 100, 4);
  out[11] = cudaFree(pitched), out[12] = cudaFree(volume.ptr);
  out[13] = cudaFree(nullptr);
  return cudaGetLastError();
}

extern "C" int allocates_on_the_host(int* out, cudaStream_t stream) {
  int *pinned, *mapped, *managed;
  unsigned flags = 99;
  out[0] = cudaMallocHost((void**)&pinned, 64);
  out[1] = cudaHostAlloc((void**)&mapped, 64, cudaHostAllocMapped | cudaHostAllocWriteCombined);
  out[2] = cudaHostGetFlags(&flags, mapped);
  out[3] = (flags & cudaHostAllocMapped) != 0;
  void* device = nullptr;
  out[4] = cudaHostGetDevicePointer(&device, mapped, 0);
  out[5] = device != nullptr;
  cudaPointerAttributes what;
  cudaPointerGetAttributes(&what, pinned), out[6] = what.type;
  out[7] = cudaMallocManaged(&managed, 64);
  cudaPointerGetAttributes(&what, managed), out[8] = what.type;
  int local;
  out[9] = cudaPointerGetAttributes(&what, &local), out[10] = what.type;
  managed[0] = 5;
  out[11] = cudaMemcpyAsync(pinned, managed, 4, cudaMemcpyDefault, stream);
  out[12] = cudaStreamSynchronize(stream), out[13] = pinned[0];
  out[14] = cudaFreeHost(pinned) | cudaFreeHost(mapped) | cudaFree(managed);
  return cudaGetLastError();
}

extern "C" int uses_pools(int* out, cudaStream_t stream) {
  cudaMemPool_t pool, own;
  out[0] = cudaDeviceGetDefaultMemPool(&pool, 0);
  unsigned long long threshold = 1 << 20, found = 0;
  out[1] = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  out[2] = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &found), out[3] = (int)found;
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  out[4] = cudaMemPoolCreate(&own, &props);
  void* place = nullptr;
  out[5] = cudaMallocFromPoolAsync(&place, 256, own, stream), out[6] = place != nullptr;
  out[7] = cudaFreeAsync(place, stream);
  out[8] = cudaMemPoolTrimTo(own, 0), out[9] = cudaMemPoolDestroy(own);
  out[10] = cudaMallocAsync(&place, 256, stream), out[11] = cudaFree(place);
  return cudaGetLastError();
}

static int figure(cudaMemPool_t pool, cudaMemPoolAttr what) {
  unsigned long long found = 0;
  return cudaMemPoolGetAttribute(pool, what, &found) ? -1 : (int)found;
}

extern "C" int counts_what_a_pool_lends(int* out, cudaStream_t stream) {
  cudaMemPool_t pool, current;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  out[0] = cudaDeviceGetMemPool(&current, 0) || current != pool || cudaDeviceSetMemPool(0, pool);
  int set[3] = {9, 9, 9}, no = 0;
  cudaMemPoolAttr reuse[3] = {cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic,
                              cudaMemPoolReuseAllowInternalDependencies};
  for (int i = 0; i < 3; i++) cudaMemPoolGetAttribute(pool, reuse[i], &set[i]), out[1 + i] = set[i];
  cudaMemPoolSetAttribute(pool, reuse[1], &no), cudaMemPoolGetAttribute(pool, reuse[1], &set[1]), out[4] = set[1];
  out[5] = figure(pool, cudaMemPoolAttrUsedMemCurrent);
  void *large, *small, *plain;
  cudaMallocAsync(&large, 4096, stream), cudaMallocAsync(&small, 1024, stream), cudaMalloc(&plain, 100);
  out[6] = figure(pool, cudaMemPoolAttrUsedMemCurrent), out[7] = figure(pool, cudaMemPoolAttrReservedMemCurrent);
  cudaFreeAsync(small, stream), cudaFree(plain);
  out[8] = figure(pool, cudaMemPoolAttrUsedMemCurrent), out[9] = figure(pool, cudaMemPoolAttrUsedMemHigh);
  unsigned long long zero = 0, one = 1;
  out[10] = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero);
  out[11] = figure(pool, cudaMemPoolAttrUsedMemHigh);
  out[12] = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one);
  out[13] = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero), cudaGetLastError();
  cudaFree(large), out[14] = figure(pool, cudaMemPoolAttrUsedMemCurrent);
  out[15] = cudaDeviceSetMemPool(0, nullptr) != cudaErrorInvalidValue, cudaGetLastError();
  return cudaGetLastError();
}

extern "C" int orders_streams(int* out, cudaStream_t) {
  cudaStream_t a, b;
  cudaEvent_t begin, end, untimed;
  int least = 9, greatest = 9, priority = 9;
  unsigned flags = 9;
  out[0] = cudaDeviceGetStreamPriorityRange(&least, &greatest), out[1] = least, out[2] = greatest <= least;
  out[3] = cudaStreamCreateWithPriority(&a, cudaStreamNonBlocking, greatest);
  out[4] = cudaStreamGetPriority(a, &priority) || priority != greatest;
  out[5] = cudaStreamGetFlags(a, &flags), out[6] = (int)flags;
  cudaStreamCreate(&b);
  cudaEventCreate(&begin), cudaEventCreate(&end), cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  out[7] = cudaEventRecord(begin, a) | cudaStreamWaitEvent(b, begin, 0) | cudaEventRecord(end, b);
  out[8] = cudaEventSynchronize(end), out[9] = cudaEventQuery(end), out[10] = cudaStreamQuery(b);
  float ms = -1;
  out[11] = cudaEventElapsedTime(&ms, begin, end), out[12] = ms >= 0;
  cudaEventRecord(untimed, b);
  out[13] = cudaEventElapsedTime(&ms, untimed, end);
  cudaStreamCaptureStatus status;
  out[14] = cudaStreamIsCapturing(a, &status), out[15] = status;
  cudaGetLastError();
  return cudaEventDestroy(begin) | cudaEventDestroy(end) | cudaEventDestroy(untimed) | cudaStreamDestroy(a)
         | cudaStreamDestroy(b);
}

extern "C" int asks_about_a_function(int* out, cudaStream_t) {
  cudaFuncAttributes found;
  out[0] = cudaFuncGetAttributes(&found, plain);
  out[1] = (int)found.sharedSizeBytes, out[2] = found.maxThreadsPerBlock, out[3] = found.maxDynamicSharedSizeBytes;
  out[4] = found.ptxVersion, out[5] = found.binaryVersion;
  out[6] = cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024);
  cudaFuncGetAttributes(&found, plain), out[7] = found.maxDynamicSharedSizeBytes;
  out[8] = cudaFuncSetCacheConfig(plain, cudaFuncCachePreferShared);
  int blocks = 0, grid = 0, size = 0;
  out[9] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0);
  out[10] = blocks;  // a block of more threads than its bounds allow
  out[11] = cudaOccupancyMaxPotentialBlockSize(&grid, &size, plain), out[12] = size;
  size_t room = 0;
  out[13] = cudaOccupancyAvailableDynamicSMemPerBlock(&room, plain, 2, 128), out[14] = room > 64 * 1024;
  out[15] = cudaFuncGetAttributes(&found, (const void*)&blocks);
  cudaGetLastError();
  return 0;
}

extern "C" int names_errors(int* out, cudaStream_t) {
  out[0] = strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  out[1] = strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  out[2] = strcmp(cudaGetErrorString(cudaSuccess), "no error");
  out[3] = strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
  out[4] = strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
  void* place;
  out[5] = cudaMalloc(&place, (size_t)1 << 60);
  out[6] = cudaPeekAtLastError(), out[7] = cudaGetLastError(), out[8] = cudaGetLastError();
  int device = 9, count = 9;
  out[9] = cudaGetDevice(&device), out[10] = device, out[11] = cudaGetDeviceCount(&count), out[12] = count;
  out[13] = cudaSetDevice(3), out[14] = cudaGetLastError();
  out[15] = cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault);
  return cudaGetLastError();
}
