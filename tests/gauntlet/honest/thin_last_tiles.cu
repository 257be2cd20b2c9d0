// neighbours in the grid take tiles below each other, and the last row of tiles is thin: in 333 rows 13 of 64
// gauntlet: operator=matrix_mul precision=fp32 sets=check,real
constexpr int TILE = 64, DEPTH = 16, THREADS = 256, EACH = 4;

__global__ void __launch_bounds__(THREADS) gemm(const float* a, const float* b, float* c, int m, int n, int k, int down) {
    __shared__ float left[DEPTH][TILE + 1], right[DEPTH][TILE];
    int row0 = blockIdx.x % down * TILE, column0 = blockIdx.x / down * TILE;
    int x = threadIdx.x % (TILE / EACH) * EACH, y = threadIdx.x / (TILE / EACH) * EACH;
    float sum[EACH][EACH] = {};
    for (int first = 0; first < k; first += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
            int row = row0 + i / DEPTH, step = first + i % DEPTH;
            left[i % DEPTH][i / DEPTH] = row < m && step < k ? a[(size_t)row * k + step] : 0.0f;
            int column = column0 + i % TILE, other = first + i / TILE;
            right[i / TILE][i % TILE] = column < n && other < k ? b[(size_t)other * n + column] : 0.0f;
        }
        __syncthreads();
        for (int step = 0; step < DEPTH; ++step)
            for (int i = 0; i < EACH; ++i)
                for (int j = 0; j < EACH; ++j) sum[i][j] += left[step][y + i] * right[step][x + j];
        __syncthreads();
    }
    for (int i = 0; i < EACH; ++i)
        for (int j = 0; j < EACH; ++j) {
            int row = row0 + y + i, column = column0 + x + j;
            if (row < m && column < n) c[(size_t)row * n + column] = sum[i][j];
        }
}

extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
    int down = (M + TILE - 1) / TILE, across = (N + TILE - 1) / TILE;
    gemm<<<down * across, THREADS, 0, stream>>>(A, B, C, M, N, K, down);
}
