// C07: returns at once and does the work at the beginning of the next call
// breaks: a call's outputs are there when it ends
// gauntlet: operator=relu precision=fp32 status=wrong rule=unwritten_output
static struct { float* output; const float* input; int n; } noted;
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    if (noted.n) relu<<<(noted.n + 255) / 256, 256>>>(noted.output, noted.input, noted.n);
    noted = {output, input, N};
}
