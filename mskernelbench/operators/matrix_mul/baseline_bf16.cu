// C = A·B, row-major BF16 with FP32 sums: one thread for each element of C, neighbouring threads on neighbouring columns.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void matrix_mul_kernel(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int M, int N,
                                  int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || column >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
        sum += __bfloat162float(A[(size_t)row * K + k]) * __bfloat162float(B[(size_t)k * N + column]);
    C[(size_t)row * N + column] = __float2bfloat16(sum);
}

extern "C" void matrix_mul_bf16(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int M, int N, int K,
                                cudaStream_t stream) {
    dim3 block(32, 8);
    dim3 grid((N + block.x - 1) / block.x, (M + block.y - 1) / block.y);
    matrix_mul_kernel<<<grid, block, 0, stream>>>(A, B, C, M, N, K);
}
