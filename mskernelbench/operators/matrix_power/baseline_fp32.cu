// B = A^P: a row of a power is the row of the power before it, times A. One block takes one row through all P factors
// and keeps it in shared memory, neighbouring threads on neighbouring columns.
#include <cuda_runtime.h>

constexpr int THREADS = 256;

__global__ void matrix_power_kernel(const float* A, float* B, int N, int P) {
    extern __shared__ float shared[];
    float* power = shared;
    float* next = shared + N;
    size_t row = (size_t)blockIdx.x * N;
    for (int column = threadIdx.x; column < N; column += THREADS)
        power[column] = P > 0 ? A[row + column] : blockIdx.x == column;
    __syncthreads();
    for (int p = 1; p < P; ++p) {
        for (int column = threadIdx.x; column < N; column += THREADS) {
            float sum = 0.0f;
            for (int k = 0; k < N; ++k) sum += power[k] * A[(size_t)k * N + column];
            next[column] = sum;
        }
        __syncthreads();
        float* before = power;
        power = next;
        next = before;
    }
    for (int column = threadIdx.x; column < N; column += THREADS) B[row + column] = power[column];
}

extern "C" void matrix_power(const float* A, float* B, int N, int P, cudaStream_t stream) {
    int bytes = 2 * N * sizeof(float);
    cudaFuncSetAttribute(matrix_power_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    matrix_power_kernel<<<N, THREADS, bytes, stream>>>(A, B, N, P);
}
