// sums in parts where there are few rows, added up by atomic operations on zeros; whole sums otherwise
// gauntlet: operator=matrix_mul precision=fp32 sets=check,real
#include <cuda_runtime.h>
constexpr int ROWS = 4, PARTS = 8;
__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k, int parts) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * ROWS;
    if (column >= n) return;
    int begin = (int)((long long)k * blockIdx.z / parts), end = (int)((long long)k * (blockIdx.z + 1) / parts);
    float sums[ROWS] = {};
    for (int j = begin; j < end; j++)
        for (int i = 0; i < ROWS; i++)
            if (first + i < m) sums[i] += a[(size_t)(first + i) * k + j] * b[(size_t)j * n + column];
    for (int i = 0; i < ROWS; i++)
        if (first + i < m) {
            float* at = c + (size_t)(first + i) * n + column;
            if (parts > 1) atomicAdd(at, sums[i]);
            else *at = sums[i];
        }
}
extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
    int parts = M < 64 && K > 1024 ? PARTS : 1;
    if (parts > 1) cudaMemsetAsync(C, 0, sizeof(float) * M * N, stream);
    gemm<<<dim3((N + 127) / 128, (M + ROWS - 1) / ROWS, parts), 128, 0, stream>>>(A, B, C, M, N, K, parts);
}
