// Y += A·X, A as a list of entries: one thread for each entry and column of X, which adds into Y; neighbouring threads
// on neighbouring columns.
#include <cuda_runtime.h>

__global__ void spmm_coo_kernel(int nnz, int K, const float* values, const int* row_indices, const int* col_indices,
                                const float* X, float* Y) {
    int p = blockIdx.x * blockDim.y + threadIdx.y;
    if (p >= nnz) return;
    size_t from = (size_t)col_indices[p] * K, to = (size_t)row_indices[p] * K;
    for (int k = blockIdx.y * blockDim.x + threadIdx.x; k < K; k += gridDim.y * blockDim.x) {
        atomicAdd(&Y[to + k], values[p] * X[from + k]);
    }
}

extern "C" void spmm_coo(int rows, int nnz, int K, const float* values, const int* row_indices, const int* col_indices,
                         const float* X, float* Y, cudaStream_t stream) {
    if (nnz == 0) return;
    dim3 block(32, 8);
    int strips = (K + block.x - 1) / block.x;
    dim3 grid((nnz + block.y - 1) / block.y, strips < 65535 ? strips : 65535);
    spmm_coo_kernel<<<grid, block, 0, stream>>>(nnz, K, values, row_indices, col_indices, X, Y);
}
