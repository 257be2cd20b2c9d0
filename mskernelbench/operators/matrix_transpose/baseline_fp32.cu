// B = Aᵀ: one thread for each element of A, neighbouring threads along its rows; blocks cover tiles of 8 rows and
// 32 columns.
#include <cuda_runtime.h>

constexpr int ROWS = 8;
constexpr int COLUMNS = 32;

__global__ void matrix_transpose_kernel(const float* A, float* B, int M, int N) {
    int tiles_a_row = (N - 1) / COLUMNS + 1;
    int row = blockIdx.x / tiles_a_row * ROWS + threadIdx.y;
    int column = blockIdx.x % tiles_a_row * COLUMNS + threadIdx.x;
    if (row < M && column < N) B[(size_t)column * M + row] = A[(size_t)row * N + column];
}

extern "C" void matrix_transpose(const float* A, float* B, int M, int N, cudaStream_t stream) {
    dim3 block(COLUMNS, ROWS);
    unsigned tiles = ((N - 1) / COLUMNS + 1u) * ((M - 1) / ROWS + 1u);
    matrix_transpose_kernel<<<tiles, block, 0, stream>>>(A, B, M, N);
}
