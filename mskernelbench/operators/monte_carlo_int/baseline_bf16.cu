// result = (b − a)/N·Σy in BF16: threads stride over the samples, each block leaves its FP32 sum, which a second launch
// of one block adds up and rounds once.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int MOST_BLOCKS = 1024;

__device__ float sums[MOST_BLOCKS];    // one for each block of the first launch, written by every call

__device__ float block_sum(float x) {
    __shared__ float part[THREADS];
    part[threadIdx.x] = x;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    return part[0];
}

__global__ void sum_kernel(const __nv_bfloat16* y, int N) {
    float sum = 0.0f;
    size_t stride = (size_t)gridDim.x * THREADS;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < N; i += stride) sum += __bfloat162float(y[i]);
    sum = block_sum(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void finish_kernel(__nv_bfloat16* result, float factor, int blocks) {
    float sum = 0.0f;
    for (int i = threadIdx.x; i < blocks; i += THREADS) sum += sums[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *result = __float2bfloat16(sum * factor);
}

extern "C" void monte_carlo_int_bf16(const __nv_bfloat16* y, __nv_bfloat16* result, float a, float b, int N,
                                     cudaStream_t stream) {
    int blocks = (N - 1) / THREADS + 1;
    if (blocks > MOST_BLOCKS) blocks = MOST_BLOCKS;
    sum_kernel<<<blocks, THREADS, 0, stream>>>(y, N);
    finish_kernel<<<1, THREADS, 0, stream>>>(result, (b - a) / N, blocks);
}
