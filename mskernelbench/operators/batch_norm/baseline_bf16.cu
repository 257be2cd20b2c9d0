// output = gamma·(input - mean)/sqrt(variance + epsilon) + beta for every column, BF16 with FP32 arithmetic:
// one block for 16 columns, as many as one memory sector holds; its threads share the rows.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int COLUMNS = 16;
constexpr int ROWS = 64;

// The sum over the threads of a column, for all of them; shared memory may be used again afterwards.
__device__ float column_sum(float x) {
    __shared__ float part[ROWS][COLUMNS];
    part[threadIdx.y][threadIdx.x] = x;
    for (int rows = ROWS / 2; rows > 0; rows /= 2) {
        __syncthreads();
        if (threadIdx.y < rows) part[threadIdx.y][threadIdx.x] += part[threadIdx.y + rows][threadIdx.x];
    }
    __syncthreads();
    x = part[0][threadIdx.x];
    __syncthreads();
    return x;
}

__global__ void batch_norm_kernel(__nv_bfloat16* output, const __nv_bfloat16* input, const __nv_bfloat16* gamma,
                                  const __nv_bfloat16* beta, float epsilon, int N, int C) {
    int column = blockIdx.x * COLUMNS + threadIdx.x;
    int rows = column < C ? N : 0;
    float sum = 0.0f;
    for (int row = threadIdx.y; row < rows; row += ROWS) sum += __bfloat162float(input[(size_t)row * C + column]);
    float mean = column_sum(sum) / N;
    sum = 0.0f;
    for (int row = threadIdx.y; row < rows; row += ROWS) {
        float distance = __bfloat162float(input[(size_t)row * C + column]) - mean;
        sum += distance * distance;
    }
    float factor = rsqrtf(column_sum(sum) / N + epsilon);
    for (int row = threadIdx.y; row < rows; row += ROWS) {
        size_t at = (size_t)row * C + column;
        float x = (__bfloat162float(input[at]) - mean) * factor;
        output[at] = __float2bfloat16(__bfloat162float(gamma[column]) * x + __bfloat162float(beta[column]));
    }
}

extern "C" void batch_norm_bf16(__nv_bfloat16* output, const __nv_bfloat16* input, const __nv_bfloat16* gamma,
                                const __nv_bfloat16* beta, const float epsilon, const int N, const int C,
                                cudaStream_t stream) {
    dim3 block(COLUMNS, ROWS);
    int blocks = (C + COLUMNS - 1) / COLUMNS;
    batch_norm_kernel<<<blocks, block, 0, stream>>>(output, input, gamma, beta, epsilon, N, C);
}
