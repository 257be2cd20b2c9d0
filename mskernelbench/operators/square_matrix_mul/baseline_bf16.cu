// C = A·B for square row-major BF16 matrices with FP32 sums: one thread for each element of C, neighbouring threads
// along its rows.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void square_matrix_mul_kernel(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int M) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || column >= M) return;
    float sum = 0.0f;
    for (int k = 0; k < M; ++k)
        sum += __bfloat162float(A[(size_t)row * M + k]) * __bfloat162float(B[(size_t)k * M + column]);
    C[(size_t)row * M + column] = __float2bfloat16(sum);
}

extern "C" void square_matrix_mul_bf16(__nv_bfloat16* A, __nv_bfloat16* B, __nv_bfloat16* C, int M,
                                       cudaStream_t stream) {
    dim3 block(32, 8);
    dim3 grid((M + block.x - 1) / block.x, (M + block.y - 1) / block.y);
    square_matrix_mul_kernel<<<grid, block, 0, stream>>>(A, B, C, M);
}
