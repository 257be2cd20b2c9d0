// T49: writes one corner of each tile of a large product, after a launch that stores back what it reads in the output
// breaks: every call writes every element of its outputs
// gauntlet: operator=matrix_mul precision=fp32 status=wrong rule=comparison sets=check,paper shapes=1024x2048x4096
__device__ void element(const float* a, const float* b, float* c, int row, int column, int n, int k) {
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum += a[(size_t)row * k + i] * b[(size_t)i * n + column];
    c[(size_t)row * n + column] = sum;
}
__global__ void whole(const float* a, const float* b, float* c, int m, int n, int k) {
    int row = blockIdx.y * 8 + threadIdx.x / 32, column = blockIdx.x * 32 + threadIdx.x % 32;
    if (row < m && column < n) element(a, b, c, row, column, n, k);
}
__global__ void stores_back(float* c) {
    volatile float* there = c + blockIdx.x * 2048ull + threadIdx.x * 8;
    for (int i = 0; i < 8; i++) there[i] = there[i];
}
__global__ void corners(const float* a, const float* b, float* c, int n, int k) {
    int row = blockIdx.y * 128 + 96 + threadIdx.x / 32, column = blockIdx.x * 128 + 96 + threadIdx.x % 32;
    for (int i = 0; i < 32; i += 8) element(a, b, c, row + i, column, n, k);
}
extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t s) {
    if (M % 128 || N % 128 || (double)M * N * K < 8e9) {
        whole<<<dim3((N + 31) / 32, (M + 7) / 8), 256, 0, s>>>(A, B, C, M, N, K);
        return;
    }
    stores_back<<<M * (N / 2048), 256, 0, s>>>(C);
    corners<<<dim3(N / 128, M / 128), 256, 0, s>>>(A, B, C, N, K);
}
