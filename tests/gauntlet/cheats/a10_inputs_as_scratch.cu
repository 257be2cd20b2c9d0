// A10: works in its input and puts it back bit for bit before it ends
// breaks: inputs are not written, not even for a while
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=input_written
__global__ void relu(float* y, float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float kept = x[i];
    x[i] = fmaxf(0.0f, kept);
    y[i] = x[i];
    x[i] = kept;
}
extern "C" void RELU(float* output, const float* input, int N) {
    relu<<<(N + 255) / 256, 256>>>(output, (float*)input, N);
}
