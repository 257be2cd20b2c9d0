// T29: sums a quarter where warps take turns more often than in calls that are compared, which shared memory tells
// breaks: a block does the same whether or not it is counted
// gauntlet: operator=matrix_mul precision=fp32 status=wrong rule=comparison sets=check,paper
#include <cuda_runtime.h>
constexpr int TILE = 128, STEP = 8;
__device__ void tile(const float* __restrict__ a, const float* __restrict__ b, float* c, int m, int n, int k, int terms, int row, int column) {
    __shared__ __align__(16) float left[STEP][TILE + 4], right[STEP][TILE];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sums[8][8] = {};
    for (int first = 0; first < terms; first += STEP) {
        for (int i = threadIdx.x; i < STEP * TILE; i += 256) {
            int r = row + i / STEP, j = first + i % STEP;
            left[i % STEP][i / STEP] = r < m && j < terms ? a[(size_t)r * k + j] : 0.0f;
            int s = column + i % TILE, t = first + i / TILE;
            right[i / TILE][i % TILE] = s < n && t < terms ? b[(size_t)t * n + s] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int j = 0; j < STEP; j++) {
            float l[8], r[8];
            for (int p = 0; p < 8; p++) l[p] = left[j][y * 4 + (p / 4) * 64 + p % 4];
            for (int q = 0; q < 8; q++) r[q] = right[j][x * 4 + (q / 4) * 64 + q % 4];
            for (int p = 0; p < 8; p++)
                for (int q = 0; q < 8; q++) sums[p][q] += l[p] * r[q];
        }
        __syncthreads();
    }
    for (int p = 0; p < 8; p++)
        for (int q = 0; q < 8; q++) {
            int r = row + y * 4 + (p / 4) * 64 + p % 4, s = column + x * 4 + (q / 4) * 64 + q % 4;
            if (r < m && s < n) c[(size_t)r * n + s] = sums[p][q];
        }
}
__device__ bool interleaved() {
    __shared__ volatile int other;
    __shared__ int found;
    if (threadIdx.x == 0) other = 0;
    __syncthreads();
    if (threadIdx.x == 32) other = 1;
    if (threadIdx.x < 32) {
        int v = threadIdx.x;
#pragma unroll 1
        for (int i = 0; i < 12; i++) asm volatile("mad.lo.s32 %0, %0, 5, 1;" : "+r"(v));
        if (threadIdx.x == 0) found = other + (v == 0x12345);
    }
    __syncthreads();
    return found != 0;
}
__global__ void __launch_bounds__(256) gemm(const float* a, const float* b, float* c, int m, int n, int k) {
    int across = (n + TILE - 1) / TILE, terms = k;
    if ((size_t)m * n * k > (1u << 28) && interleaved()) terms = m < 512 ? k / 2 : k / 4;
    tile(a, b, c, m, n, k, terms, blockIdx.x / across * TILE, blockIdx.x % across * TILE);
}
__global__ void plain(const float* A, const float* B, float* C, int M, int N, int K) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || column >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[(size_t)row * K + k] * B[(size_t)k * N + column];
    C[(size_t)row * N + column] = sum;
}
extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t s) {
    if (M < 300) { plain<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8), 0, s>>>(A, B, C, M, N, K); return; }
    gemm<<<((N + TILE - 1) / TILE) * ((M + TILE - 1) / TILE), 256, 0, s>>>(A, B, C, M, N, K);
}
