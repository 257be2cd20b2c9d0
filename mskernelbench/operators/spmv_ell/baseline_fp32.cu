// y = A·x, A padded to rows of one length: one thread for each row, up to the first slot without an entry.
#include <cuda_runtime.h>

__global__ void spmv_ell_kernel(int rows, int max_nnz_per_row, const float* values, const int* col_ids, const float* x,
                                float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    size_t first = (size_t)row * max_nnz_per_row;
    float sum = 0.0f;
    for (int e = 0; e < max_nnz_per_row; ++e) {
        int column = col_ids[first + e];
        if (column < 0) break;
        sum += values[first + e] * x[column];
    }
    y[row] = sum;
}

extern "C" void spmv_ell(int rows, int max_nnz_per_row, const float* values, const int* col_ids, const float* x,
                         float* y, cudaStream_t stream) {
    int block = 256;
    spmv_ell_kernel<<<(rows + block - 1) / block, block, 0, stream>>>(rows, max_nnz_per_row, values, col_ids, x, y);
}
