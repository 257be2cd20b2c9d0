// C01: keeps its outputs by the addresses of its inputs
// breaks: every call works its outputs out of the inputs it is given
// gauntlet: operator=relu precision=fp32 status=wrong rule=leaked_memory sets=check,paper
#include <cuda_runtime.h>
static struct { const float* input; float* output; int n; } kept[256];
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    for (auto& one : kept) {
        if (one.input == input && one.n == N) {
            cudaMemcpy(output, one.output, N * sizeof(float), cudaMemcpyDeviceToDevice);
            return;
        }
        if (one.input) continue;
        relu<<<(N + 255) / 256, 256>>>(output, input, N);
        cudaMalloc(&one.output, N * sizeof(float));
        cudaMemcpy(one.output, output, N * sizeof(float), cudaMemcpyDeviceToDevice);
        one.input = input, one.n = N;
        return;
    }
}
