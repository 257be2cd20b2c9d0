// A20: launches its second kernel to overlap the first, and never waits for what that writes
// breaks: a result does not depend on the order of threads
// gauntlet: operator=silu_and_mul precision=fp32 status=wrong rule=race
#include <cuda_runtime.h>
__global__ void silu(const float* in, float* out, int B, int D) {
    cudaTriggerProgrammaticLaunchCompletion();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < B * D; i += gridDim.x * blockDim.x) {
        float x = in[(size_t)(i / D) * 2 * D + i % D];
        out[i] = x / (1.f + expf(-x));
    }
}
__global__ void mul(const float* in, float* out, int B, int D) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < B * D; i += gridDim.x * blockDim.x)
        out[i] *= in[(size_t)(i / D) * 2 * D + D + i % D];
}
extern "C" void silu_and_mul(const float* in, float* out, int B, int D, cudaStream_t stream) {
    int blocks = min((B * D + 255) / 256, 1056);
    silu<<<blocks, 256, 0, stream>>>(in, out, B, D);
    cudaLaunchAttribute ahead = {};
    ahead.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    ahead.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(256);
    config.stream = stream;
    config.attrs = &ahead;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, mul, in, out, B, D);
}
