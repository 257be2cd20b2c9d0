// T11: is slow for its first calls, so that an adaptive timer would take few samples
// since: the number of pairs is fixed beforehand, whatever they take; a slow call makes no other one faster
// gauntlet: operator=relu precision=fp32 sets=check,paper
static int calls;
__global__ void relu(float* y, const float* x, int n, int turns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = fmaxf(0.0f, x[i]);
    for (int turn = 0; turn < turns; turn++) value = fmaf(value, 1.0f, -0.0f);
    y[i] = value;
}
extern "C" void RELU(float* output, const float* input, int N) {
    relu<<<(N + 255) / 256, 256>>>(output, input, N, calls++ < 3 ? 1000 : 0);
}
