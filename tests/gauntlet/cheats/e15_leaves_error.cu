// E15: leaves an error behind that the harness might take for its own
// breaks: a call ends without an error
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=launch_failed
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
    cudaFree((void*)1);
}
