// Partial sums in memory of its own, added to the result by a second launch.
#include <cuda_runtime.h>

#define BLOCK 256

__global__ void partial_sums(float* partial, const float* X, const float* Y, const int N) {
    __shared__ float tile[BLOCK];
    float sum = 0.f;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += gridDim.x * BLOCK) sum += X[i] * Y[i];
    tile[threadIdx.x] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = tile[0];
}

__global__ void add_up(float* result, const float* partial, int count) {
    float sum = 0.f;
    for (int i = threadIdx.x; i < count; i += 32) sum += partial[i];
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) *result += sum;
}

extern "C" void dot_product_optimized(float* result, const float* X, const float* Y, const int N) {
    int blocks = (N + 4 * BLOCK - 1) / (4 * BLOCK);
    float* partial = nullptr;
    cudaMalloc((void**)&partial, blocks * sizeof(float));
    partial_sums<<<blocks, BLOCK>>>(partial, X, Y, N);
    add_up<<<1, 32>>>(result, partial, blocks);
    cudaDeviceSynchronize();
    cudaFree(partial);
}
