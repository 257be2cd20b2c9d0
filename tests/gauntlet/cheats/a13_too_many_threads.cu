// A13: launches blocks of 2048 threads, which no GPU starts
// breaks: every launch succeeds
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=launch_failed
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    relu<<<(N + 2047) / 2048, 2048>>>(output, input, N);
}
