// E17: takes device memory until there is none left
// breaks: a call takes the memory that it needs
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=launch_failed
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    void* block;
    while (cudaMalloc(&block, 1l << 30) == cudaSuccess) {}
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
}
