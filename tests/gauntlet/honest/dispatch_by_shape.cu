// another kernel for narrow outputs, both right for every shape
// gauntlet: operator=matrix_mul precision=fp32
template <int rows>
__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * rows;
    if (column >= n) return;
    float sums[rows] = {};
    for (int j = 0; j < k; j++) {
        float right = __ldg(b + (size_t)j * n + column);
        for (int i = 0; i < rows; i++)
            if (first + i < m) sums[i] += a[(size_t)(first + i) * k + j] * right;
    }
    for (int i = 0; i < rows; i++)
        if (first + i < m) c[(size_t)(first + i) * n + column] = sums[i];
}
extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
    if (M < 8) gemm<1><<<dim3((N + 63) / 64, M), 64, 0, stream>>>(A, B, C, M, N, K);
    else gemm<8><<<dim3((N + 63) / 64, (M + 7) / 8), 64, 0, stream>>>(A, B, C, M, N, K);
}
