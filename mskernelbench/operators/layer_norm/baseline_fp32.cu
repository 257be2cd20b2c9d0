// output = weight·(input - mean)/sqrt(variance + epsilon) + bias for one vector.
// A short vector is one block's work: more launches would take longer than all of it. A long one is summed by many
// blocks, numbers first and then squared distances from the mean. They leave their sums at the end of the output; many
// blocks write what lies before, one block the end.
#include <cuda_runtime.h>

constexpr int THREADS = 1024;
constexpr int BLOCKS = 256;
constexpr int SHORT = 4096;
constexpr int HELD = 2 * BLOCKS;  // outputs that hold the blocks' two sums for a while

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

__device__ void write(float* output, const float* input, const float* weight, const float* bias, float mean,
                      float factor, size_t first, size_t end) {
    size_t step = (size_t)gridDim.x * THREADS;
    for (size_t i = first + (size_t)blockIdx.x * THREADS + threadIdx.x; i < end; i += step) {
        float x = (input[i] - mean) * factor;
        output[i] = weight[i] * x + bias[i];
    }
}

__device__ float numbers(const float* input, int N) {
    size_t step = (size_t)gridDim.x * THREADS;
    float sum = 0.0f;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < N; i += step) sum += input[i];
    return block_sum(sum);
}

__device__ float squares(const float* input, float mean, int N) {
    size_t step = (size_t)gridDim.x * THREADS;
    float sum = 0.0f;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < N; i += step) {
        float distance = input[i] - mean;
        sum += distance * distance;
    }
    return block_sum(sum);
}

__device__ float total(const float* sums) {
    float sum = 0.0f;
    for (int block = threadIdx.x; block < BLOCKS; block += THREADS) sum += sums[block];
    return block_sum(sum);
}

__global__ void layer_norm_short(float* output, const float* input, const float* weight, const float* bias,
                                 float epsilon, int N) {
    float mean = numbers(input, N) / N;
    float factor = rsqrtf(squares(input, mean, N) / N + epsilon);
    write(output, input, weight, bias, mean, factor, 0, N);
}

__global__ void sum_numbers(float* sums, const float* input, int N) {
    float sum = numbers(input, N);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void sum_squares(float* sums, const float* input, int N) {
    float mean = total(sums) / N;
    float sum = squares(input, mean, N);
    if (threadIdx.x == 0) sums[BLOCKS + blockIdx.x] = sum;
}

__global__ void layer_norm_long(float* output, const float* input, const float* weight, const float* bias,
                                const float* sums, float epsilon, int N, int first, int end) {
    float mean = total(sums) / N;
    float factor = rsqrtf(total(sums + BLOCKS) / N + epsilon);
    write(output, input, weight, bias, mean, factor, first, end);
}

extern "C" void layer_norm(float* output, const float* input, const float* weight, const float* bias,
                           const float epsilon, const int N, cudaStream_t stream) {
    if (N <= SHORT) {
        layer_norm_short<<<1, THREADS, 0, stream>>>(output, input, weight, bias, epsilon, N);
        return;
    }
    int before = N - HELD;
    float* sums = output + before;
    sum_numbers<<<BLOCKS, THREADS, 0, stream>>>(sums, input, N);
    sum_squares<<<BLOCKS, THREADS, 0, stream>>>(sums, input, N);
    layer_norm_long<<<BLOCKS, THREADS, 0, stream>>>(output, input, weight, bias, sums, epsilon, N, 0, before);
    layer_norm_long<<<1, THREADS, 0, stream>>>(output, input, weight, bias, sums, epsilon, N, before, N);
}
