// A01: works for four calls and then no more
// breaks: a call does its work, however many went before it
// gauntlet: operator=relu precision=fp32 status=wrong rule=unwritten_output
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
static int calls;
extern "C" void RELU(float* output, const float* input, int N) {
    if (++calls <= 4) relu<<<(N + 255) / 256, 256>>>(output, input, N);
}
