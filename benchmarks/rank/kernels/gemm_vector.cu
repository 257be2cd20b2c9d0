// C = A B (n x n), FP32, 8 x 8 a thread: operands read from shared memory in words, and in 16 bytes.
#include <cuda_runtime.h>

template <int PITCH>
__device__ void product(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) float left[8][PITCH], right[8][128];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int row0 = blockIdx.y * 128, column0 = blockIdx.x * 128;
    float sum[8][8] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = t; i < 1024; i += 256) {
            left[i % 8][i / 8] = a[(row0 + i / 8) * n + k0 + i % 8];
            right[i / 128][i % 128] = b[(k0 + i / 128) * n + column0 + i % 128];
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < 8; ++step) {
            float x[8], y[8];
            if (PITCH % 4) {
                for (int i = 0; i < 8; ++i) x[i] = left[step][ty + 16 * i];
                for (int i = 0; i < 8; ++i) y[i] = right[step][tx + 16 * i];
            } else {
                for (int i = 0; i < 8; i += 4) {
                    *reinterpret_cast<float4*>(&x[i]) = *reinterpret_cast<float4*>(&left[step][ty * 4 + 16 * i]);
                    *reinterpret_cast<float4*>(&y[i]) = *reinterpret_cast<float4*>(&right[step][tx * 4 + 16 * i]);
                }
            }
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
            int row = PITCH % 4 ? ty + 16 * i : ty * 4 + i / 4 * 64 + i % 4;
            int column = PITCH % 4 ? tx + 16 * j : tx * 4 + j / 4 * 64 + j % 4;
            c[(row0 + row) * n + column0 + column] = sum[i][j];
        }
}

__global__ void __launch_bounds__(256) by_words(const float* a, const float* b, float* c, int n) {
    product<129>(a, b, c, n);
}

__global__ void __launch_bounds__(256) by_sixteen_bytes(const float* a, const float* b, float* c, int n) {
    product<132>(a, b, c, n);
}

extern "C" void slow(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
    by_words<<<dim3(n / 128, n / 128), 256, 0, stream>>>(a, b, c, n);
}

extern "C" void fast(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
    by_sixteen_bytes<<<dim3(n / 128, n / 128), 256, 0, stream>>>(a, b, c, n);
}
