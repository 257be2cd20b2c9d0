// Y = A·X, A in compressed rows: one thread for each element of Y, neighbouring threads on neighbouring columns.
#include <cuda_runtime.h>

__global__ void spmm_csr_kernel(int rows, int K, const float* values, const int* col_indices, const int* row_offsets,
                                const float* X, float* Y) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    int begin = row_offsets[row], end = row_offsets[row + 1];
    for (int k = blockIdx.y * blockDim.x + threadIdx.x; k < K; k += gridDim.y * blockDim.x) {
        float sum = 0.0f;
        for (int p = begin; p < end; ++p) sum += values[p] * X[(size_t)col_indices[p] * K + k];
        Y[(size_t)row * K + k] = sum;
    }
}

extern "C" void spmm_csr(int rows, int K, const float* values, const int* col_indices, const int* row_offsets,
                         const float* X, float* Y, cudaStream_t stream) {
    dim3 block(32, 8);
    int strips = (K + block.x - 1) / block.x;
    dim3 grid((rows + block.y - 1) / block.y, strips < 65535 ? strips : 65535);
    spmm_csr_kernel<<<grid, block, 0, stream>>>(rows, K, values, col_indices, row_offsets, X, Y);
}
