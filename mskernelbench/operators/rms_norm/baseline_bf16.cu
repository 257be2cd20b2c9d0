// output = weight·input/sqrt(mean of squares + epsilon) + bias for one vector, BF16 with FP32 arithmetic.
// A short vector is one block's work: a second launch would take longer than all of it. A long one is summed by many
// blocks, which leave their sums at the end of the output; many blocks write what lies before, one block the end.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int THREADS = 1024;
constexpr int BLOCKS = 256;
constexpr int SHORT = 4096;
constexpr int HELD = 2 * BLOCKS;  // outputs that hold the blocks' sums for a while

// The sum over the block, for all its threads; shared memory may be used again afterwards.
__device__ float block_sum(float x) {
    __shared__ float part[THREADS / 32];
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffffu, x, offset);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0.0f;
    for (int warp = 0; warp < THREADS / 32; ++warp) x += part[warp];
    __syncthreads();
    return x;
}

__device__ void write(__nv_bfloat16* output, const __nv_bfloat16* input, const __nv_bfloat16* weight,
                      const __nv_bfloat16* bias, float factor, size_t first, size_t end) {
    size_t step = (size_t)gridDim.x * THREADS;
    for (size_t i = first + (size_t)blockIdx.x * THREADS + threadIdx.x; i < end; i += step) {
        float x = __bfloat162float(input[i]) * factor;
        output[i] = __float2bfloat16(__bfloat162float(weight[i]) * x + __bfloat162float(bias[i]));
    }
}

__device__ float squares(const __nv_bfloat16* input, int N) {
    size_t step = (size_t)gridDim.x * THREADS;
    float sum = 0.0f;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < N; i += step) {
        float x = __bfloat162float(input[i]);
        sum += x * x;
    }
    return block_sum(sum);
}

__global__ void rms_norm_short(__nv_bfloat16* output, const __nv_bfloat16* input, const __nv_bfloat16* weight,
                               const __nv_bfloat16* bias, float epsilon, int N) {
    float factor = rsqrtf(squares(input, N) / N + epsilon);
    write(output, input, weight, bias, factor, 0, N);
}

__global__ void sum_squares(float* sums, const __nv_bfloat16* input, int N) {
    float sum = squares(input, N);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void rms_norm_long(__nv_bfloat16* output, const __nv_bfloat16* input, const __nv_bfloat16* weight,
                              const __nv_bfloat16* bias, const float* sums, float epsilon, int N, int first,
                              int end) {
    float sum = 0.0f;
    for (int block = threadIdx.x; block < BLOCKS; block += THREADS) sum += sums[block];
    float factor = rsqrtf(block_sum(sum) / N + epsilon);
    write(output, input, weight, bias, factor, first, end);
}

extern "C" void rms_norm_bf16(__nv_bfloat16* output, const __nv_bfloat16* input, const __nv_bfloat16* weight,
                              const __nv_bfloat16* bias, const float epsilon, const int N, cudaStream_t stream) {
    if (N <= SHORT) {
        rms_norm_short<<<1, THREADS, 0, stream>>>(output, input, weight, bias, epsilon, N);
        return;
    }
    int before = (N - HELD) / 2 * 2;
    float* sums = (float*)(output + before);
    sum_squares<<<BLOCKS, THREADS, 0, stream>>>(sums, input, N);
    rms_norm_long<<<BLOCKS, THREADS, 0, stream>>>(output, input, weight, bias, sums, epsilon, N, 0, before);
    rms_norm_long<<<1, THREADS, 0, stream>>>(output, input, weight, bias, sums, epsilon, N, before, N);
}
