// y = A·x: one thread for each row; small blocks, so that a few thousand rows reach every multiprocessor.
#include <cuda_runtime.h>

__global__ void matrix_vector_mul_kernel(const float* A, const float* x, float* y, int M, int N) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M) return;
    float sum = 0.0f;
    for (int n = 0; n < N; ++n) sum += A[(size_t)row * N + n] * x[n];
    y[row] = sum;
}

extern "C" void matrix_vector_mul(const float* A, const float* x, float* y, int M, int N, cudaStream_t stream) {
    int block = 64;
    matrix_vector_mul_kernel<<<(M + block - 1) / block, block, 0, stream>>>(A, x, y, M, N);
}
