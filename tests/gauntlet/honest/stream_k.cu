// as many blocks as fit share all steps along k evenly; who ends within a tile leaves a partial one, whose owner waits for it
// gauntlet: operator=matrix_mul precision=fp32 sets=check,paper
#include <cuda_runtime.h>
constexpr int TILE = 128, STEP = 8;
__device__ void part(const float* __restrict__ a, const float* __restrict__ b, int m, int n, int k, int begin, int terms, int row, int column, float (&sums)[8][8]) {
    __shared__ __align__(16) float left[STEP][TILE + 4], right[STEP][TILE];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    for (int first = begin; first < terms; first += STEP) {
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
}
__global__ void __launch_bounds__(256) stream_k(const float* a, const float* b, float* c, float* partial, unsigned* ready, int m, int n, int k) {
    int across = (n + TILE - 1) / TILE, down = (m + TILE - 1) / TILE, steps = (k + STEP - 1) / STEP;
    long long total = (long long)across * down * steps, blocks = gridDim.x;
    long long at = total * blockIdx.x / blocks, end = total * (blockIdx.x + 1) / blocks;
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    while (at < end) {
        int t = (int)(at / steps);
        long long first = (long long)t * steps, last = first + steps, until = min(end, last);
        int row = t / across * TILE, column = t % across * TILE;
        float sums[8][8] = {};
        part(a, b, m, n, k, (int)(at - first) * STEP, min(k, (int)(until - first) * STEP), row, column, sums);
        if (at > first) {  // not the owner: leave it
            float* to = partial + (size_t)blockIdx.x * TILE * TILE;
            for (int p = 0; p < 8; p++)
                for (int q = 0; q < 8; q++) to[(p * 8 + q) * 256 + threadIdx.x] = sums[p][q];
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0) atomicExch(ready + blockIdx.x, 1u);
        } else {
            long long reached = until;
            for (int other = blockIdx.x + 1; reached < last; other++) {
                if (threadIdx.x == 0)
                    while (atomicAdd(ready + other, 0u) == 0) {}
                __syncthreads();
                __threadfence();
                const float* from = partial + (size_t)other * TILE * TILE;
                for (int p = 0; p < 8; p++)
                    for (int q = 0; q < 8; q++) sums[p][q] += from[(p * 8 + q) * 256 + threadIdx.x];
                reached = total * (other + 1) / blocks;
            }
            for (int p = 0; p < 8; p++)
                for (int q = 0; q < 8; q++) {
                    int r = row + y * 4 + (p / 4) * 64 + p % 4, s = column + x * 4 + (q / 4) * 64 + q % 4;
                    if (r < m && s < n) c[(size_t)r * n + s] = sums[p][q];
                }
        }
        at = until;
    }
}
extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t s) {
    static const int sms = 132;
    int tiles = ((N + TILE - 1) / TILE) * ((M + TILE - 1) / TILE), steps = (K + STEP - 1) / STEP;
    int blocks = (int)min((long long)sms * 2, (long long)tiles * steps);
    float* partial;
    unsigned* ready;
    cudaMallocAsync((void**)&partial, (size_t)blocks * TILE * TILE * 4, s);
    cudaMallocAsync((void**)&ready, blocks * 4, s);
    cudaMemsetAsync(ready, 0, blocks * 4, s);
    stream_k<<<blocks, 256, 0, s>>>(A, B, C, partial, ready, M, N, K);
    cudaFreeAsync(partial, s);
    cudaFreeAsync(ready, s);
}
