// C = A·B, row-major: one thread for each element of C, neighbouring threads on neighbouring columns.
#include <cuda_runtime.h>

__global__ void matrix_mul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || column >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[(size_t)row * K + k] * B[(size_t)k * N + column];
    C[(size_t)row * N + column] = sum;
}

extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
    dim3 block(32, 8);
    dim3 grid((N + block.x - 1) / block.x, (M + block.y - 1) / block.y);
    matrix_mul_kernel<<<grid, block, 0, stream>>>(A, B, C, M, N, K);
}
