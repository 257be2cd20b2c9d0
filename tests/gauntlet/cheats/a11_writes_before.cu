// A11: writes one element before its output
// breaks: a kernel writes its outputs and nothing else
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=out_of_bounds
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
    if (i == 0) y[-1] = 0.0f;
}
extern "C" void RELU(float* output, const float* input, int N) {
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
}
