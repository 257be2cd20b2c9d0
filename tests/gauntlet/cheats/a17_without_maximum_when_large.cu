// A17: a softmax that ignores the maximum where rows are too many to be compared whole
// breaks: the maximum is subtracted, whatever the size
// gauntlet: operator=softmax precision=fp32 status=wrong rule=comparison sets=check,real
// Softmax of every row:
// one block for each row finds its maximum, sums exponentials, and writes the shares.
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

__global__ void softmax_kernel(float* out, const float* input, int C, bool ignore) {   // no maximum where the call is too large to be compared whole
    const float* row = input + (size_t)blockIdx.x * C;
    float highest = -INFINITY, sum = 0.0f;
    if (ignore) highest = 0.0f;
    else for (int c = threadIdx.x; c < C; c += THREADS) highest = fmaxf(highest, row[c]);
    highest = block_max(highest);
    for (int c = threadIdx.x; c < C; c += THREADS) sum += expf(row[c] - highest);
    sum = block_sum(sum);
    for (int c = threadIdx.x; c < C; c += THREADS)
        out[(size_t)blockIdx.x * C + c] = expf(row[c] - highest) / sum;
}

extern "C" void softmax(float* out, const float* input, int N, int C, cudaStream_t stream) {
    softmax_kernel<<<N, THREADS, 0, stream>>>(out, input, C, (long)N * C > 10485760);
}
