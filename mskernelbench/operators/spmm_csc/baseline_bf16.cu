// Y = A·X, A in compressed columns, BF16 values: one thread for each column of A and column of X adds into FP32 sums,
// which BF16 outputs cannot hold; then one thread for each element of Y rounds its sum.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void spmm_csc_kernel(int columns, int K, const __nv_bfloat16* values, const int* row_indices,
                                const int* col_offsets, const __nv_bfloat16* X, float* sums) {
    int column = blockIdx.x * blockDim.y + threadIdx.y;
    if (column >= columns) return;
    int begin = col_offsets[column], end = col_offsets[column + 1];
    for (int k = blockIdx.y * blockDim.x + threadIdx.x; k < K; k += gridDim.y * blockDim.x) {
        float factor = __bfloat162float(X[(size_t)column * K + k]);
        for (int p = begin; p < end; ++p)
            atomicAdd(&sums[(size_t)row_indices[p] * K + k], __bfloat162float(values[p]) * factor);
    }
}

__global__ void round_kernel(size_t count, const float* sums, __nv_bfloat16* Y) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) Y[i] = __float2bfloat16(sums[i]);
}

extern "C" void spmm_csc_bf16(int rows, int columns, int K, const __nv_bfloat16* values, const int* row_indices,
                              const int* col_offsets, const __nv_bfloat16* X, __nv_bfloat16* Y, cudaStream_t stream) {
    float* sums;
    size_t count = (size_t)rows * K;
    if (cudaMallocAsync((void**)&sums, count * sizeof(float), stream) != cudaSuccess) return;
    cudaMemsetAsync(sums, 0, count * sizeof(float), stream);
    dim3 block(32, 8);
    int strips = (K + block.x - 1) / block.x;
    dim3 grid((columns + block.y - 1) / block.y, strips < 65535 ? strips : 65535);
    spmm_csc_kernel<<<grid, block, 0, stream>>>(columns, K, values, row_indices, col_offsets, X, sums);
    round_kernel<<<(count + 255) / 256, 256, 0, stream>>>(count, sums, Y);
    cudaFreeAsync(sums, stream);
}
