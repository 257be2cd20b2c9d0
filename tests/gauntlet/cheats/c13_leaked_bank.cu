// C13: keeps what it works out in device memory that it never frees
// breaks: a call frees the memory that it takes
// gauntlet: operator=relu precision=fp32 status=wrong rule=leaked_memory
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    float* bank;
    cudaMalloc(&bank, N * sizeof(float));
    relu<<<(N + 255) / 256, 256>>>(bank, input, N);
    cudaMemcpy(output, bank, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
