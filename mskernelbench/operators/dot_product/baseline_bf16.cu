// Σ X·Y of BF16 vectors in FP32: every thread adds up products a grid apart, a block adds up its threads, and its
// first thread adds that to the result.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int MOST_BLOCKS = 1024;

__global__ void dot_product_kernel(float* result, const __nv_bfloat16* X, const __nv_bfloat16* Y, int N) {
    __shared__ float part[THREADS];
    float sum = 0.0f;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < N; i += (size_t)gridDim.x * THREADS)
        sum += __bfloat162float(X[i]) * __bfloat162float(Y[i]);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int width = THREADS / 2; width > 0; width /= 2) {
        if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(result, part[0]);
}

extern "C" void dot_product_bf16(float* result, const __nv_bfloat16* X, const __nv_bfloat16* Y, const int N,
                                 cudaStream_t stream) {
    int blocks = min((N - 1) / THREADS + 1, MOST_BLOCKS);
    dot_product_kernel<<<blocks, THREADS, 0, stream>>>(result, X, Y, N);
}
