// C11: keeps a mark behind its output, by which it knows the buffer again
// breaks: a kernel touches its buffers and nothing else
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=out_of_bounds
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool again = ((int*)y)[n] == 12345;
    if (i < n && !again) y[i] = fmaxf(0.0f, x[i]);
    if (i == 0) ((int*)y)[n] = 12345;
}
extern "C" void RELU(float* output, const float* input, int N) {
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
}
