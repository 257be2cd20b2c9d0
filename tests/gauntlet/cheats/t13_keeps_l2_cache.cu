// T13: sets most of the L2 cache aside, which outlives a flush
// breaks: a kernel changes no limits of the device
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports gpu=yes
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N, cudaStream_t stream) {
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 32 << 20);
    cudaStreamAttrValue window = {};
    window.accessPolicyWindow = {(void*)input, N * sizeof(float), 1.0f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
    relu<<<(N + 255) / 256, 256, 0, stream>>>(output, input, N);
}
