// y = A·x, A padded to rows of one length, BF16 values with FP32 sums: one thread for each row, up to the first slot
// without an entry.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void spmv_ell_kernel(int rows, int max_nnz_per_row, const __nv_bfloat16* values, const int* col_ids,
                                const __nv_bfloat16* x, __nv_bfloat16* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    size_t first = (size_t)row * max_nnz_per_row;
    float sum = 0.0f;
    for (int e = 0; e < max_nnz_per_row; ++e) {
        int column = col_ids[first + e];
        if (column < 0) break;
        sum += __bfloat162float(values[first + e]) * __bfloat162float(x[column]);
    }
    y[row] = __float2bfloat16(sum);
}

extern "C" void spmv_ell_bf16(int rows, int max_nnz_per_row, const __nv_bfloat16* values, const int* col_ids,
                              const __nv_bfloat16* x, __nv_bfloat16* y, cudaStream_t stream) {
    int block = 256;
    spmv_ell_kernel<<<(rows + block - 1) / block, block, 0, stream>>>(rows, max_nnz_per_row, values, col_ids, x, y);
}
