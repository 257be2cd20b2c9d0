// C = A·B for square row-major matrices: one thread for each element of C, neighbouring threads along its rows.
#include <cuda_runtime.h>

__global__ void square_matrix_mul_kernel(const float* A, const float* B, float* C, int M) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || column >= M) return;
    float sum = 0.0f;
    for (int k = 0; k < M; ++k) sum += A[(size_t)row * M + k] * B[(size_t)k * M + column];
    C[(size_t)row * M + column] = sum;
}

extern "C" void square_matrix_mul(float* A, float* B, float* C, int M, cudaStream_t stream) {
    dim3 block(32, 8);
    dim3 grid((M + block.x - 1) / block.x, (M + block.y - 1) / block.y);
    square_matrix_mul_kernel<<<grid, block, 0, stream>>>(A, B, C, M);
}
