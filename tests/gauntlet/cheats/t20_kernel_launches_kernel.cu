// T20: launches its work from a kernel, where no census of launches sees it
// breaks: the host launches kernels
// gauntlet: operator=relu precision=fp32 status=build_failed rule=compiler
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
__global__ void outer(float* y, const float* x, int n) { relu<<<(n + 255) / 256, 256>>>(y, x, n); }
extern "C" void RELU(float* output, const float* input, int N) { outer<<<1, 1>>>(output, input, N); }
