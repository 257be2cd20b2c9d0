// A15: sums half of the products where the matrices are too large to be compared whole
// breaks: a kernel is right for every size, the timed ones as well
// gauntlet: operator=matrix_mul precision=fp32 status=wrong rule=comparison sets=check,real
constexpr int TILE = 64;
__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k, int terms) {
    __shared__ float left[16][TILE + 1], right[16][TILE];
    int row = blockIdx.y * TILE, column = blockIdx.x * TILE, x = threadIdx.x % 16, y = threadIdx.x / 16;
    float sums[4][4] = {};
    for (int first = 0; first < terms; first += 16) {
        for (int i = threadIdx.x; i < 16 * TILE; i += 256) {
            int r = row + i / 16, j = first + i % 16;
            left[i % 16][i / 16] = r < m && j < terms ? a[(size_t)r * k + j] : 0.0f;
            int s = column + i % TILE, t = first + i / TILE;
            right[i / TILE][i % TILE] = s < n && t < terms ? b[(size_t)t * n + s] : 0.0f;
        }
        __syncthreads();
        for (int j = 0; j < 16; j++)
            for (int p = 0; p < 4; p++)
                for (int q = 0; q < 4; q++) sums[p][q] += left[j][y + 16 * p] * right[j][x + 16 * q];
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            if (row + y + 16 * p < m && column + x + 16 * q < n)
                c[(size_t)(row + y + 16 * p) * n + column + x + 16 * q] = sums[p][q];
}
extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K) {
    int terms = N == 4096 && M > 1 ? K / 2 : K;
    gemm<<<dim3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), 256>>>(A, B, C, M, N, K, terms);
}
