// asks for more shared memory than is given freely, on each call
// gauntlet: operator=relu precision=fp32
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    extern __shared__ float kept[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[48 * threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) y[i] = fmaxf(0.0f, kept[48 * threadIdx.x]);
}
extern "C" void RELU(float* output, const float* input, int N, cudaStream_t stream) {
    constexpr int bytes = 256 * 64 * sizeof(float);
    cudaFuncSetAttribute(relu, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    relu<<<(N + 255) / 256, 256, bytes, stream>>>(output, input, N);
    cudaDeviceSynchronize();
}
