// T19: changes how the host waits for the device
// breaks: a kernel changes no settings of the device
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    cudaSetDeviceFlags(cudaDeviceScheduleSpin);
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
}
