// C = A B (n x n), BF16 in, FP32 out: CUDA cores with shared tiles, and WMMA on tensor cores.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>

using namespace nvcuda;

__global__ void gemm_cores(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n) {
    __shared__ float left[32][32], right[32][32];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        left[threadIdx.y][threadIdx.x] = __bfloat162float(a[row * n + k0 + threadIdx.x]);
        right[threadIdx.y][threadIdx.x] = __bfloat162float(b[(k0 + threadIdx.y) * n + column]);
        __syncthreads();
        for (int k = 0; k < 32; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// 64 x 64 a block, four warps of 32 x 32.
__global__ void gemm_tensor(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n) {
    __shared__ __align__(16) __nv_bfloat16 left[64][40], right[32][72];
    int warp = threadIdx.x / 32, warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (auto& line : sum)
        for (auto& one : line) wmma::fill_fragment(one, 0.0f);
    for (int k0 = 0; k0 < n; k0 += 32) {
        for (int i = threadIdx.x; i < 256; i += 128) {
            *reinterpret_cast<uint4*>(&left[i / 4][i % 4 * 8]) =
                *reinterpret_cast<const uint4*>(&a[(row0 + i / 4) * n + k0 + i % 4 * 8]);
            *reinterpret_cast<uint4*>(&right[i / 8][i % 8 * 8]) =
                *reinterpret_cast<const uint4*>(&b[(k0 + i / 8) * n + column0 + i % 8 * 8]);
        }
        __syncthreads();
        for (int k = 0; k < 32; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> x[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> y[2];
            for (int i = 0; i < 2; ++i) {
                wmma::load_matrix_sync(x[i], &left[warp_row + i * 16][k], 40);
                wmma::load_matrix_sync(y[i], &right[k][warp_column + i * 16], 72);
            }
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], x[i], y[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            wmma::store_matrix_sync(&c[(row0 + warp_row + i * 16) * n + column0 + warp_column + j * 16],
                                    sum[i][j], n, wmma::mem_row_major);
}

extern "C" void fast(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n, cudaStream_t stream) {
    gemm_tensor<<<dim3(n / 64, n / 64), 128, 0, stream>>>(a, b, c, n);
}

extern "C" void slow(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n, cudaStream_t stream) {
    gemm_cores<<<dim3(n / 32, n / 32), dim3(32, 32), 0, stream>>>(a, b, c, n);
}
