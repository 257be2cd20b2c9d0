// T26: leaves the work of the first 64 tickets of a product to the last ones, of an operator that is not answered in pieces
// since: within a whole launch the last blocks are seen to do it, and what all blocks do is counted
// gauntlet: operator=matrix_power precision=fp32 sets=check,paper
__device__ void tile(const float* a, const float* b, float* c, int n, int terms, int block, int across) {
    int row = block / across * 16 + threadIdx.x / 16, column = block % across * 16 + threadIdx.x % 16;
    if (row >= n || column >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < terms; k++) sum = __fadd_rn(sum, __fmul_rn(a[(size_t)row * n + k], b[(size_t)k * n + column]));
    c[(size_t)row * n + column] = sum;
}
__global__ void product(const float* a, const float* b, float* c, unsigned* begun, int n, int across) {
    __shared__ int ticket;
    if (threadIdx.x == 0) ticket = atomicInc(begun, gridDim.x - 1);
    __syncthreads();
    int few = n > 300 ? 64 : 0;
    if (ticket >= few) tile(a, b, c, n, n, ticket, across);
    if (ticket >= (int)gridDim.x - few) tile(a, b, c, n, n, gridDim.x - 1 - ticket, across);
}
__global__ void unit(float* c, int n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (size_t)n * n) c[i] = i / n == i % n;
}
extern "C" void matrix_power(const float* A, float* B, int N, int P, cudaStream_t s) {
    int across = (N + 15) / 16;
    float* power[2];
    unsigned* begun;
    for (auto& one : power) cudaMallocAsync((void**)&one, (size_t)N * N * 4, s);
    cudaMallocAsync((void**)&begun, 4, s);
    cudaMemsetAsync(begun, 0, 4, s);
    if (P == 0) unit<<<(N * N + 255) / 256, 256, 0, s>>>(B, N);
    if (P == 1) cudaMemcpyAsync(B, A, (size_t)N * N * 4, cudaMemcpyDeviceToDevice, s);
    const float* from = A;
    for (int p = 1; p < P; p++) {
        float* to = p == P - 1 ? B : power[p % 2];
        product<<<across * across, 256, 0, s>>>(from, A, to, begun, N, across);
        from = to;
    }
    for (auto one : power) cudaFreeAsync(one, s);
    cudaFreeAsync(begun, s);
}
