// Y = A·X, A padded to rows of one length, BF16 values with FP32 sums: one thread for each element of Y, neighbouring
// threads on neighbouring columns, up to the first slot without an entry.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void spmm_ell_kernel(int rows, int max_nnz_per_row, int K, const __nv_bfloat16* values, const int* col_ids,
                                const __nv_bfloat16* X, __nv_bfloat16* Y) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    size_t first = (size_t)row * max_nnz_per_row;
    for (int k = blockIdx.y * blockDim.x + threadIdx.x; k < K; k += gridDim.y * blockDim.x) {
        float sum = 0.0f;
        for (int e = 0; e < max_nnz_per_row; ++e) {
            int column = col_ids[first + e];
            if (column < 0) break;
            sum += __bfloat162float(values[first + e]) * __bfloat162float(X[(size_t)column * K + k]);
        }
        Y[(size_t)row * K + k] = __float2bfloat16(sum);
    }
}

extern "C" void spmm_ell_bf16(int rows, int max_nnz_per_row, int K, const __nv_bfloat16* values, const int* col_ids,
                              const __nv_bfloat16* X, __nv_bfloat16* Y, cudaStream_t stream) {
    dim3 block(32, 8);
    int strips = (K + block.x - 1) / block.x;
    dim3 grid((rows + block.y - 1) / block.y, strips < 65535 ? strips : 65535);
    spmm_ell_kernel<<<grid, block, 0, stream>>>(rows, max_nnz_per_row, K, values, col_ids, X, Y);
}
