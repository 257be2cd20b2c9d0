// A07: works out every other element and copies it to its neighbour
// breaks: every element lies within the rounding error of its terms
// gauntlet: operator=relu precision=fp32 status=wrong rule=comparison
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i & ~1]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
}
