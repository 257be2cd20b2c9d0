// y = A·x, A in compressed rows, BF16 values with FP32 sums: one thread for each row.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void spmv_csr_kernel(int rows, const __nv_bfloat16* values, const int* col_indices, const int* row_offsets,
                                const __nv_bfloat16* x, __nv_bfloat16* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    int end = row_offsets[row + 1];
    for (int p = row_offsets[row]; p < end; ++p)
        sum += __bfloat162float(values[p]) * __bfloat162float(x[col_indices[p]]);
    y[row] = __float2bfloat16(sum);
}

extern "C" void spmv_csr_bf16(int rows, const __nv_bfloat16* values, const int* col_indices, const int* row_offsets,
                              const __nv_bfloat16* x, __nv_bfloat16* y, cudaStream_t stream) {
    int block = 256;
    spmv_csr_kernel<<<(rows + block - 1) / block, block, 0, stream>>>(rows, values, col_indices, row_offsets, x, y);
}
