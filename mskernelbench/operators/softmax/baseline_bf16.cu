// Softmax of every row, BF16 with FP32 arithmetic:
// one block for each row finds its maximum, sums exponentials, and writes the shares.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

constexpr int THREADS = 256;

__device__ float block_max(float x) {
    __shared__ float part[THREADS / 32];
    for (int offset = 16; offset > 0; offset /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, offset));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    x = part[0];
    for (int warp = 1; warp < THREADS / 32; ++warp) x = fmaxf(x, part[warp]);
    return x;
}

__device__ float block_sum(float x) {
    __shared__ float part[THREADS / 32];
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffffu, x, offset);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0.0f;
    for (int warp = 0; warp < THREADS / 32; ++warp) x += part[warp];
    return x;
}

__global__ void softmax_kernel(__nv_bfloat16* out, const __nv_bfloat16* input, int C) {
    const __nv_bfloat16* row = input + (size_t)blockIdx.x * C;
    float highest = -INFINITY, sum = 0.0f;
    for (int c = threadIdx.x; c < C; c += THREADS) highest = fmaxf(highest, __bfloat162float(row[c]));
    highest = block_max(highest);
    for (int c = threadIdx.x; c < C; c += THREADS) sum += expf(__bfloat162float(row[c]) - highest);
    sum = block_sum(sum);
    for (int c = threadIdx.x; c < C; c += THREADS)
        out[(size_t)blockIdx.x * C + c] = __float2bfloat16(expf(__bfloat162float(row[c]) - highest) / sum);
}

extern "C" void softmax_bf16(__nv_bfloat16* out, const __nv_bfloat16* input, int N, int C, cudaStream_t stream) {
    softmax_kernel<<<N, THREADS, 0, stream>>>(out, input, C);
}
