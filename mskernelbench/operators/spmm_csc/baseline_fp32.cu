// Y += A·X, A in compressed columns: one thread for each column of A and column of X, which adds into Y; neighbouring
// threads on neighbouring columns.
#include <cuda_runtime.h>

__global__ void spmm_csc_kernel(int columns, int K, const float* values, const int* row_indices,
                                const int* col_offsets, const float* X, float* Y) {
    int column = blockIdx.x * blockDim.y + threadIdx.y;
    if (column >= columns) return;
    int begin = col_offsets[column], end = col_offsets[column + 1];
    for (int k = blockIdx.y * blockDim.x + threadIdx.x; k < K; k += gridDim.y * blockDim.x) {
        float factor = X[(size_t)column * K + k];
        for (int p = begin; p < end; ++p) atomicAdd(&Y[(size_t)row_indices[p] * K + k], values[p] * factor);
    }
}

extern "C" void spmm_csc(int rows, int columns, int K, const float* values, const int* row_indices,
                         const int* col_offsets, const float* X, float* Y, cudaStream_t stream) {
    dim3 block(32, 8);
    int strips = (K + block.x - 1) / block.x;
    dim3 grid((columns + block.y - 1) / block.y, strips < 65535 ? strips : 65535);
    spmm_csc_kernel<<<grid, block, 0, stream>>>(columns, K, values, row_indices, col_offsets, X, Y);
}
