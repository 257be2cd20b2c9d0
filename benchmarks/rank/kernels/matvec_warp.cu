// y = A x, dense, few rows: a thread a row, and a block a row.
#include <cuda_runtime.h>

__global__ void matvec_thread(const float* a, const float* x, float* y, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int j = 0; j < columns; ++j) sum += a[(size_t)row * columns + j] * x[j];
    y[row] = sum;
}

__global__ void matvec_block(const float* a, const float* x, float* y, int rows, int columns) {
    __shared__ float partial[8];
    float sum = 0;
    for (int j = threadIdx.x; j < columns; j += 256) sum += a[(size_t)blockIdx.x * columns + j] * x[j];
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; ++i) sum += partial[i];
        y[blockIdx.x] = sum;
    }
}

extern "C" void fast(const float* a, const float* x, float* y, int rows, int columns, cudaStream_t stream) {
    matvec_block<<<rows, 256, 0, stream>>>(a, x, y, rows, columns);
}

extern "C" void slow(const float* a, const float* x, float* y, int rows, int columns, cudaStream_t stream) {
    matvec_thread<<<(rows + 255) / 256, 256, 0, stream>>>(a, x, y, rows, columns);
}
