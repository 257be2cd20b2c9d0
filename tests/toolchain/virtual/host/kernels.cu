// Entries of every signature the harness calls, with kernels that the engine runs.
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
