// thin matrices in parts along k, of which the last block of a tile to end adds up all; plain tiles otherwise
// gauntlet: operator=matrix_mul precision=fp32 sets=check,real
#include <cuda_runtime.h>
constexpr int COLS = 128, ROWS = 16, PARTS = 16;
__global__ void __launch_bounds__(128) thin(const float* __restrict__ a, const float* __restrict__ b, float* c, float* partial, unsigned* done, int m, int n, int k) {
    __shared__ bool last;
    int column = blockIdx.x * COLS + threadIdx.x, first = blockIdx.y * ROWS, z = blockIdx.z;
    int begin = (int)((long long)k * z / PARTS), end = (int)((long long)k * (z + 1) / PARTS);
    float sums[ROWS] = {};
    if (column < n)
        for (int j = begin; j < end; j++) {
            float right = b[(size_t)j * n + column];
#pragma unroll
            for (int i = 0; i < ROWS; i++) sums[i] += (first + i < m ? a[(size_t)(first + i) * k + j] : 0.0f) * right;
        }
    float* mine = partial + (size_t)z * m * n;
    if (column < n)
        for (int i = 0; i < ROWS; i++)
            if (first + i < m) mine[(size_t)(first + i) * n + column] = sums[i];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(done + blockIdx.y * gridDim.x + blockIdx.x, 1u) == PARTS - 1;
    __syncthreads();
    if (!last || column >= n) return;
    __threadfence();
    for (int i = 0; i < ROWS; i++)
        if (first + i < m) {
            float sum = 0.0f;
            for (int p = 0; p < PARTS; p++) sum += __ldcg(partial + (size_t)p * m * n + (size_t)(first + i) * n + column);
            c[(size_t)(first + i) * n + column] = sum;
        }
}
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
__global__ void __launch_bounds__(256) gemm(const float* a, const float* b, float* c, int m, int n, int k) {
    int across = (n + TILE - 1) / TILE;
    tile(a, b, c, m, n, k, k, blockIdx.x / across * TILE, blockIdx.x % across * TILE);
}
extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t s) {
    if (M > 300) { gemm<<<((N + TILE - 1) / TILE) * ((M + TILE - 1) / TILE), 256, 0, s>>>(A, B, C, M, N, K); return; }
    dim3 grid((N + COLS - 1) / COLS, (M + ROWS - 1) / ROWS, PARTS);
    float* partial;
    unsigned* done;
    cudaMallocAsync((void**)&partial, (size_t)PARTS * M * N * 4, s);
    cudaMallocAsync((void**)&done, grid.x * grid.y * 4, s);
    cudaMemsetAsync(done, 0, grid.x * grid.y * 4, s);
    thin<<<grid, 128, 0, s>>>(A, B, C, partial, done, M, N, K);
    cudaFreeAsync(partial, s);
    cudaFreeAsync(done, s);
}
