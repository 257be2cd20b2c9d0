// Sum of -Y·ln(max(X, 1e-8)), BF16 with an FP32 sum: all threads stride over the vectors,
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

__global__ void cross_entropy_loss_kernel(float* loss, const __nv_bfloat16* X, const __nv_bfloat16* Y, int C) {
    size_t step = (size_t)gridDim.x * THREADS;
    float sum = 0.0f;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < C; i += step) {
        float y = __bfloat162float(Y[i]);
        if (y != 0.0f) sum -= y * logf(fmaxf(__bfloat162float(X[i]), 1e-8f));
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(loss, sum);
}

extern "C" void cross_entropy_loss_bf16(float* loss, const __nv_bfloat16* X, const __nv_bfloat16* Y, const int C,
                                        cudaStream_t stream) {
    int blocks = min(1024u, ((unsigned)C + THREADS - 1) / THREADS);
    cross_entropy_loss_kernel<<<blocks, THREADS, 0, stream>>>(loss, X, Y, C);
}
