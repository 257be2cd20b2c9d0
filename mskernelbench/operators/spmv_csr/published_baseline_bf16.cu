// As wasteful as the published kernel: a warp for each row, whose 32 lanes all walk the whole row in FP32.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void spmv_csr_kernel(int rows, const __nv_bfloat16* values, const int* col_indices, const int* row_offsets,
                                const __nv_bfloat16* x, __nv_bfloat16* y) {
    int row = (int)(((size_t)blockIdx.x * blockDim.x + threadIdx.x) / warpSize);
    if (row >= rows) return;
    float sum = 0.0f;
    for (int p = row_offsets[row]; p < row_offsets[row + 1]; ++p)
        sum += __bfloat162float(values[p]) * __bfloat162float(x[col_indices[p]]);
    if (threadIdx.x % warpSize == 0) y[row] = __float2bfloat16(sum);
}

extern "C" void spmv_csr_bf16(int rows, const __nv_bfloat16* values, const int* col_indices, const int* row_offsets,
                              const __nv_bfloat16* x, __nv_bfloat16* y, cudaStream_t stream) {
    int warps = 8;
    spmv_csr_kernel<<<(rows + warps - 1) / warps, 32 * warps, 0, stream>>>(rows, values, col_indices, row_offsets, x,
                                                                           y);
}
