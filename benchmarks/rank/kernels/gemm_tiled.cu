// C = A B (n x n), FP32: every operand from global memory, and tiles of 32 x 32 through shared memory.
#include <cuda_runtime.h>

__global__ void gemm_naive(const float* a, const float* b, float* c, int n) {
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void gemm_tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float left[32][32], right[32][32];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        left[threadIdx.y][threadIdx.x] = a[row * n + k0 + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" void fast(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
    gemm_tiled<<<dim3(n / 32, n / 32), dim3(32, 32), 0, stream>>>(a, b, c, n);
}

extern "C" void slow(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
    gemm_naive<<<dim3(n / 32, n / 32), dim3(32, 32), 0, stream>>>(a, b, c, n);
}
