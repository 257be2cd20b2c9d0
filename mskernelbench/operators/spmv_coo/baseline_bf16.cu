// y = A·x, A as a list of entries, BF16 values: one thread for each entry adds its product into FP32 sums, which BF16
// outputs cannot hold; then one thread for each row rounds its sum.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void spmv_coo_kernel(int nnz, const __nv_bfloat16* values, const int* row_indices, const int* col_indices,
                                const __nv_bfloat16* x, float* sums) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < nnz) atomicAdd(&sums[row_indices[p]], __bfloat162float(values[p]) * __bfloat162float(x[col_indices[p]]));
}

__global__ void round_kernel(int rows, const float* sums, __nv_bfloat16* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) y[row] = __float2bfloat16(sums[row]);
}

extern "C" void spmv_coo_bf16(int rows, int nnz, const __nv_bfloat16* values, const int* row_indices,
                              const int* col_indices, const __nv_bfloat16* x, __nv_bfloat16* y, cudaStream_t stream) {
    if (nnz == 0) return;
    float* sums;
    size_t bytes = (size_t)rows * sizeof(float);
    if (cudaMallocAsync((void**)&sums, bytes, stream) != cudaSuccess) return;
    cudaMemsetAsync(sums, 0, bytes, stream);
    int block = 256;
    spmv_coo_kernel<<<(nnz + block - 1) / block, block, 0, stream>>>(nnz, values, row_indices, col_indices, x, sums);
    round_kernel<<<(rows + block - 1) / block, block, 0, stream>>>(rows, sums, y);
    cudaFreeAsync(sums, stream);
}
