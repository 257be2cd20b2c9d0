// Mean of (X - Y)^2, BF16 with an FP32 sum: all threads stride over the vectors,
// each block adds its sum into the zeroed result.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

constexpr int THREADS = 256;

__device__ float block_sum(float x) {
    __shared__ float part[THREADS / 32];
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffffu, x, offset);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0.0f;
    for (int warp = 0; warp < THREADS / 32; ++warp) x += part[warp];
    return x;
}

__global__ void mse_loss_kernel(float* loss, const __nv_bfloat16* X, const __nv_bfloat16* Y, int N) {
    size_t step = (size_t)gridDim.x * THREADS;
    float sum = 0.0f;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < N; i += step) {
        float difference = __bfloat162float(X[i]) - __bfloat162float(Y[i]);
        sum += difference * difference;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(loss, sum / N);
}

extern "C" void MSE_loss_bf16(float* loss, const __nv_bfloat16* X, const __nv_bfloat16* Y, int N,
                              cudaStream_t stream) {
    int blocks = min(1024u, ((unsigned)N + THREADS - 1) / THREADS);
    mse_loss_kernel<<<blocks, THREADS, 0, stream>>>(loss, X, Y, N);
}
