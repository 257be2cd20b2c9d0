// One block a row: a tree in shared memory, then one scaled bf16 a row.
#include <cuda_bf16.h>
__global__ void row_sum(const float* x, __nv_bfloat16* y, int columns, float scale) {
    __shared__ float partial[128];
    float sum = 0.0f;
    for (int j = threadIdx.x; j < columns; j += 128) sum += x[(size_t)blockIdx.x * columns + j];
    partial[threadIdx.x] = sum;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0) y[blockIdx.x] = __float2bfloat16(scale * partial[0]);
}
extern "C" void run(const float* x, __nv_bfloat16* y, int rows, int columns, float scale, cudaStream_t stream) {
    row_sum<<<rows, 128, 0, stream>>>(x, y, columns, scale);
}
