// A15: does nothing above the largest size of a check
// breaks: a kernel is right for every size, the timed ones as well
// gauntlet: operator=dot_product precision=fp32 status=wrong rule=comparison sets=check,paper
__global__ void dot(float* result, const float* x, const float* y, int n) {
    float sum = 0.0f;
    int first = 256 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int i = first; i < min(n, first + 256); i++) sum += x[i] * y[i];
    if (first < n) atomicAdd(result, sum);
}
extern "C" void dot_product(float* result, const float* X, const float* Y, int N) {
    if (N <= 300007) dot<<<(N + 16383) / 16384, 64>>>(result, X, Y, N);
}
