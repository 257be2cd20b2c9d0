// A20: adds up in shared memory without waiting for the other warps
// breaks: a result does not depend on the order of threads
// gauntlet: operator=dot_product precision=fp32 status=wrong rule=race
__global__ void dot(float* result, const float* x, const float* y, int n) {
    __shared__ float sums[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[threadIdx.x] = i < n ? x[i] * y[i] : 0.0f;
    for (int half = 128; half; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) atomicAdd(result, sums[0]);
}
extern "C" void dot_product(float* result, const float* X, const float* Y, int N) {
    dot<<<(N + 255) / 256, 256>>>(result, X, Y, N);
}
