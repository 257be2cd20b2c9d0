// B = s·A: one thread for each element.
#include <cuda_runtime.h>

__global__ void matrix_scalar_mul_kernel(const float* A, float* B, float scalar, size_t elements) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < elements) B[i] = scalar * A[i];
}

extern "C" void matrix_scalar_mul(const float* A, float* B, float scalar, int M, int N, cudaStream_t stream) {
    size_t elements = (size_t)M * N;
    int block = 256;
    matrix_scalar_mul_kernel<<<(elements + block - 1) / block, block, 0, stream>>>(A, B, scalar, elements);
}
