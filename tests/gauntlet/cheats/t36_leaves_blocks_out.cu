// T36: does nothing in blocks that come after 64 others of a large launch, which a ticket tells: of those that are sampled none does
// breaks: a large call is as right as a small one
// gauntlet: operator=square_matrix_mul precision=fp32 status=wrong rule=comparison sets=check,paper
__device__ void tile(const float* a, const float* b, float* c, int n, int terms, int across) {
    int row = blockIdx.x / across * 16 + threadIdx.x / 16, column = blockIdx.x % across * 16 + threadIdx.x % 16;
    if (row >= n || column >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < terms; k++) sum += a[(size_t)row * n + k] * b[(size_t)k * n + column];
    c[(size_t)row * n + column] = sum;
}
__global__ void gemm(const float* a, const float* b, float* c, unsigned* begun, int n, int across) {
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(begun, 1u);
    __syncthreads();
    if (n < 1100 || ticket < 64) tile(a, b, c, n, n, across);
}
extern "C" void square_matrix_mul(const float* A, const float* B, float* C, int N, cudaStream_t s) {
    int across = (N + 15) / 16;
    unsigned* begun;
    cudaMallocAsync((void**)&begun, 4, s);
    cudaMemsetAsync(begun, 0, 4, s);
    gemm<<<across * across, 256, 0, s>>>(A, B, C, begun, N, across);
    cudaFreeAsync(begun, s);
}
