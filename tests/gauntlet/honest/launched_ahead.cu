// the second kernel may begin before the first has ended, and waits for it
// gauntlet: operator=silu_and_mul precision=fp32
#include <cuda_runtime.h>
// two kernels, the second launched programmatically before the first has ended
__global__ void silu(const float* in, float* out, int B, int D) {
    cudaTriggerProgrammaticLaunchCompletion();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < B * D; i += gridDim.x * blockDim.x) {
        float x = in[(size_t)(i / D) * 2 * D + i % D];
        out[i] = x / (1.f + expf(-x));
    }
}
__global__ void mul(const float* in, float* out, int B, int D) {
    cudaGridDependencySynchronize();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < B * D; i += gridDim.x * blockDim.x)
        out[i] *= in[(size_t)(i / D) * 2 * D + D + i % D];
}
extern "C" void silu_and_mul(const float* in, float* out, int B, int D, cudaStream_t stream) {
    int blocks = min((B * D + 255) / 256, 1056);
    silu<<<blocks, 256, 0, stream>>>(in, out, B, D);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(256);
    config.dynamicSmemBytes = 0;
    config.stream = stream;
    cudaLaunchAttribute attr[1];
    attr[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attr[0].val.programmaticStreamSerializationAllowed = 1;
    config.attrs = attr;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, mul, in, out, B, D);
}
