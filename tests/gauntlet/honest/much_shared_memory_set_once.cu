// asks for more shared memory than is given freely, once, behind a static flag
// gauntlet: operator=relu precision=fp32
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    extern __shared__ float kept[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[64 * threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) y[i] = fmaxf(0.0f, kept[64 * threadIdx.x]);
}
extern "C" void RELU(float* output, const float* input, int N, cudaStream_t stream) {
    static bool done = false;
    constexpr int bytes = 256 * 64 * sizeof(float);
    if (!done) {
        cudaFuncSetAttribute(relu, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        done = true;
    }
    relu<<<(N + 255) / 256, 256, bytes, stream>>>(output, input, N);
}
