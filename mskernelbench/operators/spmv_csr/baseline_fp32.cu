// y = A·x, A in compressed rows: one thread for each row.
#include <cuda_runtime.h>

__global__ void spmv_csr_kernel(int rows, const float* values, const int* col_indices, const int* row_offsets,
                                const float* x, float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    int end = row_offsets[row + 1];
    for (int p = row_offsets[row]; p < end; ++p) sum += values[p] * x[col_indices[p]];
    y[row] = sum;
}

extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets, const float* x,
                         float* y, cudaStream_t stream) {
    int block = 256;
    spmv_csr_kernel<<<(rows + block - 1) / block, block, 0, stream>>>(rows, values, col_indices, row_offsets, x, y);
}
