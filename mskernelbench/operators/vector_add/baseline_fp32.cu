// C = A + B: one thread for each element.
#include <cuda_runtime.h>

__global__ void vector_add_kernel(const float* A, const float* B, float* C, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = A[i] + B[i];
}

extern "C" void vector_add(const float* A, const float* B, float* C, int N, cudaStream_t stream) {
    int block = 256;
    vector_add_kernel<<<(N - 1) / block + 1, block, 0, stream>>>(A, B, C, N);
}
