// result += (b − a)/N·Σy: threads stride over the samples, each block adds its share.
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int MOST_BLOCKS = 1024;

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

__global__ void monte_carlo_int_kernel(const float* y, float* result, float factor, int N) {
    float sum = 0.0f;
    size_t stride = (size_t)gridDim.x * THREADS;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < N; i += stride) sum += y[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(result, sum * factor);
}

extern "C" void monte_carlo_int(const float* y, float* result, float a, float b, int N, cudaStream_t stream) {
    int blocks = (N - 1) / THREADS + 1;
    if (blocks > MOST_BLOCKS) blocks = MOST_BLOCKS;
    monte_carlo_int_kernel<<<blocks, THREADS, 0, stream>>>(y, result, (b - a) / N, N);
}
