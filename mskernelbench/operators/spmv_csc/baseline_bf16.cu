// y = A·x, A in compressed columns, BF16 values: one thread for each column adds its products into FP32 sums, which
// BF16 outputs cannot hold; then one thread for each row rounds its sum.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void spmv_csc_kernel(int columns, const __nv_bfloat16* values, const int* row_indices,
                                const int* col_offsets, const __nv_bfloat16* x, float* sums) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float factor = __bfloat162float(x[column]);
    int end = col_offsets[column + 1];
    for (int p = col_offsets[column]; p < end; ++p)
        atomicAdd(&sums[row_indices[p]], __bfloat162float(values[p]) * factor);
}

__global__ void round_kernel(int rows, const float* sums, __nv_bfloat16* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) y[row] = __float2bfloat16(sums[row]);
}

extern "C" void spmv_csc_bf16(int rows, int columns, const __nv_bfloat16* values, const int* row_indices,
                              const int* col_offsets, const __nv_bfloat16* x, __nv_bfloat16* y, cudaStream_t stream) {
    float* sums;
    size_t bytes = (size_t)rows * sizeof(float);
    if (cudaMallocAsync((void**)&sums, bytes, stream) != cudaSuccess) return;
    cudaMemsetAsync(sums, 0, bytes, stream);
    int block = 256;
    spmv_csc_kernel<<<(columns + block - 1) / block, block, 0, stream>>>(columns, values, row_indices, col_offsets, x,
                                                                         sums);
    round_kernel<<<(rows + block - 1) / block, block, 0, stream>>>(rows, sums, y);
    cudaFreeAsync(sums, stream);
}
