// Entries of every signature the harness calls, with kernels that the engine runs.
#include <cuda.h>
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cstdlib>

__constant__ float table[4];
__device__ int counter;
__managed__ int managed = 3;

__global__ void affine(float* y, const float* x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i] + table[1] + managed;
}
__global__ void past_the_end(float* y, int n) { y[n + threadIdx.x] = 1; }
__global__ void writes_to(float* y) { y[0] = 1; }
__global__ void traps(int n) { if (n > 0) asm volatile("trap;"); }
__global__ void count(float* y) {
  atomicAdd(&counter, 1);
  y[blockIdx.x] += 1;
}
__global__ void reverse(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = i;
  cooperative_groups::this_grid().sync();
  float other = y[n - 1 - i];
  cooperative_groups::this_grid().sync();
  y[i] = other;
}
__global__ void fill(float* y, __nv_bfloat16 value) { y[threadIdx.x] = __bfloat162float(value); }
__global__ void swap_pairs(float* y) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void number(int* places) { places[blockIdx.x] = blockIdx.x; }
__global__ void scatter(float* y, const int* places) { y[places[(blockIdx.x + 7) % gridDim.x]] += 1; }

extern "C" void with_stream(float* y, const float* x, float factor, int n, cudaStream_t stream) {
  float values[4] = {0, 10, 0, 0};
  cudaMemcpyToSymbolAsync(table, values, sizeof values, 0, cudaMemcpyHostToDevice, stream);
  affine<<<(n + 255) / 256, 256, 0, stream>>>(y, x, factor, n);
}
extern "C" void without_stream(float* y, const float* x, float factor, int n) {
  affine<<<(n + 255) / 256, 256>>>(y, x, factor, n);
}
extern "C" void fill_with(float* y, __nv_bfloat16 value, int n, cudaStream_t stream) {
  fill<<<1, n, 0, stream>>>(y, value);
}
extern "C" void reverse_all(float* y, int n, cudaStream_t stream) {
  void* arguments[] = {&y, &n};
  cudaLaunchCooperativeKernel((void*)reverse, dim3(n / 64), dim3(64), arguments, 0, stream);
}
extern "C" void large_shared(float* y, int n, cudaStream_t stream) {
  cudaFuncSetAttribute(swap_pairs, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
  swap_pairs<<<1, n, 200 * 1024, stream>>>(y);
}
extern "C" void out_of_bounds(float* y, int n, cudaStream_t stream) {
  past_the_end<<<1, 32, 0, stream>>>(y, n - 8);
  writes_to<<<1, 1, 0, stream>>>(y);
}
extern "C" void gives_up(float* y, int n, cudaStream_t stream) {
  past_the_end<<<1, 32, 0, stream>>>(y, n);
  if (cudaDeviceSynchronize() != cudaSuccess) exit(1);
}
extern "C" void writes_input(const float* x, cudaStream_t stream) { writes_to<<<1, 1, 0, stream>>>((float*)x); }
extern "C" void trapping(int n, cudaStream_t stream) { traps<<<1, 1, 0, stream>>>(n); }
extern "C" void bad_launch(float* y, cudaStream_t stream) {
  writes_to<<<0, 1, 0, stream>>>(y);
  cudaGetLastError();
}
extern "C" void leaks(cudaStream_t) {
  void *lost, *returned;
  cudaMalloc(&lost, 1000), cudaMalloc(&returned, 5000), cudaMallocHost(&returned, 7000), cudaFree(nullptr);
}
extern "C" void counts(float* y, int launches, int blocks, cudaStream_t stream) {
  int total = 0;
  cudaMemcpyToSymbol(counter, &total, sizeof total);
  for (int i = 0; i < launches; i++) count<<<blocks, 32, 0, stream>>>(y);
  cudaMemcpyFromSymbol(&total, counter, sizeof total);
  cudaMemset(y, 0, 4 * blocks / 2);
  float* copy;
  cudaMallocAsync(&copy, 4, stream);
  cudaMemcpyAsync(copy, y + blocks - 1, 4, cudaMemcpyDeviceToDevice, stream);
  cudaFreeAsync(copy, stream);
}
extern "C" void scatters(float* y, int blocks, cudaStream_t stream) {
  int* places;
  cudaMallocAsync(&places, 4 * blocks, stream);
  number<<<blocks, 1, 0, stream>>>(places);
  scatter<<<blocks, 1, 0, stream>>>(y, places);
  cudaFreeAsync(places, stream);
}

// --- clusters and tensor maps ---

constexpr int BOX = 256;

__global__ void halve_boxes(float *y, const __grid_constant__ CUtensorMap map, int n)
{
    __shared__ alignas(128) float box[BOX];
    __shared__ uint64_t barrier;
    uint32_t place = (uint32_t)__cvta_generic_to_shared(box), on = (uint32_t)__cvta_generic_to_shared(&barrier), over = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(on) : "memory");
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];"
                     ::"r"(place), "l"(&map), "r"((int)blockIdx.x * BOX), "r"(on) : "memory");
    }
    __syncthreads();
    while (!over)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over) : "r"(on) : "memory");
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    int i = blockIdx.x * BOX + threadIdx.x;
    if (i < n)
        y[i] = box[threadIdx.x] / 2 + rank;
}

using Encode = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                            const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

extern "C" void halve_by_tensor_map(float *y, const float *x, int n, int cluster, cudaStream_t stream)
{
    void *encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
    CUtensorMap map;
    cuuint64_t size = n, stride = 0;
    cuuint32_t box = BOX, step = 1;
    ((Encode)encode)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, (void *)x, &size, &stride, &box, &step,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(((n + BOX - 1) / BOX + cluster - 1) / cluster * cluster);
    config.blockDim = dim3(BOX);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, halve_boxes, y, map, n);
}

extern "C" void asks_for_another_driver_call(cudaStream_t)
{
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion("cuCtxCreate", &found, 12000, cudaEnableDefault, &result);
}

// --- declared with other qualifiers than defined ---

template <int ADDED> __global__ void differs(float *y, int n);
extern "C" void launches_nothing(float *y, int n, cudaStream_t stream) { differs<1><<<1, 32, 0, stream>>>(y, n); }
template <int ADDED> __global__ void differs(float *__restrict__ y, const int n) { if (threadIdx.x < n) y[threadIdx.x] += ADDED; }
