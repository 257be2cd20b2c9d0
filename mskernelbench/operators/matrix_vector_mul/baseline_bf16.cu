// y = A·x in BF16 with FP32 sums: one thread for each row; small blocks, so that a few thousand rows reach every
// multiprocessor.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void matrix_vector_mul_kernel(const __nv_bfloat16* A, const __nv_bfloat16* x, __nv_bfloat16* y, int M,
                                         int N) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M) return;
    float sum = 0.0f;
    for (int n = 0; n < N; ++n) sum += __bfloat162float(A[(size_t)row * N + n]) * __bfloat162float(x[n]);
    y[row] = __float2bfloat16(sum);
}

extern "C" void matrix_vector_mul_bf16(const __nv_bfloat16* A, const __nv_bfloat16* x, __nv_bfloat16* y, int M, int N,
                                       cudaStream_t stream) {
    int block = 64;
    matrix_vector_mul_kernel<<<(M + block - 1) / block, block, 0, stream>>>(A, x, y, M, N);
}
