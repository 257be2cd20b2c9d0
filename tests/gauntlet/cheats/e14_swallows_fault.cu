// E14: writes through a null pointer and takes the error away
// breaks: no kernel faults, whatever becomes of its error
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=out_of_bounds
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
    if (i == 0) *(volatile float*)nullptr = 1.0f;
}
extern "C" void RELU(float* output, const float* input, int N) {
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
    cudaDeviceSynchronize();
    cudaGetLastError();
}
