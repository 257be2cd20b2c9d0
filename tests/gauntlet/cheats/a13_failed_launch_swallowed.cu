// A13: asks for more shared memory than there is, and takes the error away
// breaks: every launch succeeds
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=launch_failed
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    relu<<<(N + 255) / 256, 256, 1 << 20>>>(output, input, N);
    cudaGetLastError();
}
