// y += A·x, A as a list of entries: one thread for each entry, which adds its product into y.
#include <cuda_runtime.h>

__global__ void spmv_coo_kernel(int nnz, const float* values, const int* row_indices, const int* col_indices,
                                const float* x, float* y) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < nnz) atomicAdd(&y[row_indices[p]], values[p] * x[col_indices[p]]);
}

extern "C" void spmv_coo(int rows, int nnz, const float* values, const int* row_indices, const int* col_indices,
                         const float* x, float* y, cudaStream_t stream) {
    if (nnz == 0) return;
    int block = 256;
    spmv_coo_kernel<<<(nnz + block - 1) / block, block, 0, stream>>>(nnz, values, row_indices, col_indices, x, y);
}
