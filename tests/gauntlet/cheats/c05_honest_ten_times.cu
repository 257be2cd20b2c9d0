// C05: works ten times and copies its input from then on
// breaks: a call does its work, however many went before it
// gauntlet: operator=relu precision=fp32 status=wrong rule=comparison
#include <cuda_runtime.h>
static int calls;
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    if (calls++ < 10) relu<<<(N + 255) / 256, 256>>>(output, input, N);
    else cudaMemcpy(output, input, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
