// As wasteful as the published kernel: a warp for each row, whose 32 lanes all walk the whole row.
#include <cuda_runtime.h>

__global__ void spmv_csr_kernel(int rows, const float* values, const int* col_indices, const int* row_offsets,
                                const float* x, float* y) {
    int row = (int)(((size_t)blockIdx.x * blockDim.x + threadIdx.x) / warpSize);
    if (row >= rows) return;
    float sum = 0.0f;
    for (int p = row_offsets[row]; p < row_offsets[row + 1]; ++p) sum += values[p] * x[col_indices[p]];
    if (threadIdx.x % warpSize == 0) y[row] = sum;
}

extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets,
                         const float* x, float* y, cudaStream_t stream) {
    int warps = 8;
    spmv_csr_kernel<<<(rows + warps - 1) / warps, 32 * warps, 0, stream>>>(rows, values, col_indices, row_offsets, x,
                                                                           y);
}
