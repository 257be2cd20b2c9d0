// C06: notes eight calls and does the work of all in the eighth
// breaks: a call's outputs are there when it ends
// gauntlet: operator=relu precision=fp32 status=wrong rule=unwritten_output
static struct { float* output; const float* input; int n; } noted[8];
static int calls;
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    noted[calls++ % 8] = {output, input, N};
    if (calls % 8 == 0)
        for (auto& one : noted) relu<<<(one.n + 255) / 256, 256>>>(one.output, one.input, one.n);
}
