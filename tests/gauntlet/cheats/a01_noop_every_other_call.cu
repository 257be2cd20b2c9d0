// A01: works on every other call only
// breaks: a call does its work, however many went before it
// gauntlet: operator=relu precision=fp32 status=wrong rule=order_dependent
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
static int calls;
extern "C" void RELU(float* output, const float* input, int N) {
    if (calls++ % 2 == 0) relu<<<(N + 255) / 256, 256>>>(output, input, N);
    else cudaMemset(output, 0, N * sizeof(float));
}
