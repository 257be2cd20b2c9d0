// C = A B (n x n), FP32: one element a thread from shared tiles, and an 8 x 8 register tile a thread.
#include <cuda_runtime.h>

__global__ void gemm_shared(const float* a, const float* b, float* c, int n) {
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

__global__ void __launch_bounds__(256) gemm_registers(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) float left[8][128], right[8][128];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    int row0 = blockIdx.y * 128, column0 = blockIdx.x * 128;
    float sum[8][8] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        float4 from_a = *reinterpret_cast<const float4*>(&a[(row0 + t / 2) * n + k0 + t % 2 * 4]);
        float4 from_b = *reinterpret_cast<const float4*>(&b[(k0 + t / 32) * n + column0 + t % 32 * 4]);
        int k = t % 2 * 4, row = t / 2;
        left[k][row] = from_a.x;
        left[k + 1][row] = from_a.y;
        left[k + 2][row] = from_a.z;
        left[k + 3][row] = from_a.w;
        *reinterpret_cast<float4*>(&right[t / 32][t % 32 * 4]) = from_b;
        __syncthreads();
        for (int step = 0; step < 8; ++step) {
            float x[8], y[8];
            for (int i = 0; i < 8; i += 4) {
                *reinterpret_cast<float4*>(&x[i]) = *reinterpret_cast<float4*>(&left[step][ty * 8 + i]);
                *reinterpret_cast<float4*>(&y[i]) = *reinterpret_cast<float4*>(&right[step][tx * 8 + i]);
            }
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; j += 4)
            *reinterpret_cast<float4*>(&c[(row0 + ty * 8 + i) * n + column0 + tx * 8 + j]) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}

extern "C" void fast(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
    gemm_registers<<<dim3(n / 128, n / 128), 256, 0, stream>>>(a, b, c, n);
}

extern "C" void slow(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
    gemm_shared<<<dim3(n / 32, n / 32), dim3(32, 32), 0, stream>>>(a, b, c, n);
}
