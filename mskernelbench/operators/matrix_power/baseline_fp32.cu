// B = A^P: a row of a power is the row of the power before it, times A. A block takes a few rows through all P factors
// and keeps them in shared memory; each thread computes some of their columns.
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int ROWS = 4;

template <int rows>
__global__ void matrix_power_kernel(const float* A, float* B, int N, int P) {
    extern __shared__ float shared[];
    float* power = shared;
    float* next = shared + rows * N;
    int first = blockIdx.x * rows;
    for (int i = threadIdx.x; i < rows * N; i += THREADS) {
        int row = min(first + i / N, N - 1), column = i % N;
        power[i] = P > 0 ? A[(size_t)row * N + column] : row == column;
    }
    __syncthreads();
    for (int p = 1; p < P; ++p) {
        for (int column = threadIdx.x; column < N; column += THREADS) {
            float sum[rows] = {};
            for (int k = 0; k < N; ++k) {
                float a = A[(size_t)k * N + column];
                for (int r = 0; r < rows; ++r) sum[r] += power[r * N + k] * a;
            }
            for (int r = 0; r < rows; ++r) next[r * N + column] = sum[r];
        }
        __syncthreads();
        float* before = power;
        power = next;
        next = before;
    }
    for (int i = threadIdx.x; i < rows * N; i += THREADS)
        if (first + i / N < N) B[(size_t)first * N + i] = power[i];
}

template <int rows>
void launch(const float* A, float* B, int N, int P, cudaStream_t stream) {
    size_t bytes = sizeof(float) * 2 * rows * N;
    cudaFuncSetAttribute(matrix_power_kernel<rows>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    matrix_power_kernel<rows><<<(N - 1) / rows + 1, THREADS, bytes, stream>>>(A, B, N, P);
}

extern "C" void matrix_power(const float* A, float* B, int N, int P, cudaStream_t stream) {
    int device, limit;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (sizeof(float) * 2 * ROWS * N <= limit)
        launch<ROWS>(A, B, N, P, stream);
    else
        launch<1>(A, B, N, P, stream);
}
