// y += A·x, A in compressed columns: one thread for each column, which adds its products into y.
#include <cuda_runtime.h>

__global__ void spmv_csc_kernel(int columns, const float* values, const int* row_indices, const int* col_offsets,
                                const float* x, float* y) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float factor = x[column];
    int end = col_offsets[column + 1];
    for (int p = col_offsets[column]; p < end; ++p) atomicAdd(&y[row_indices[p]], values[p] * factor);
}

extern "C" void spmv_csc(int rows, int columns, const float* values, const int* row_indices, const int* col_offsets,
                         const float* x, float* y, cudaStream_t stream) {
    int block = 256;
    spmv_csc_kernel<<<(columns + block - 1) / block, block, 0, stream>>>(columns, values, row_indices, col_offsets, x,
                                                                         y);
}
