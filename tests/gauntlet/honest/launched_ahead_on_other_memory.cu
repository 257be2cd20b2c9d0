// the second kernel overlaps the first and need not wait for it: they share nothing that is written
// gauntlet: operator=silu_and_mul precision=fp32
#include <cuda_runtime.h>
__device__ float silu(float x) { return x / (1.f + expf(-x)); }
__global__ void gates(const float* in, float* gate, int B, int D) {
    cudaTriggerProgrammaticLaunchCompletion();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < B * D; i += gridDim.x * blockDim.x)
        gate[i] = silu(in[(size_t)(i / D) * 2 * D + i % D]);
}
__global__ void ups(const float* in, float* out, int B, int D) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < B * D; i += gridDim.x * blockDim.x)
        out[i] = in[(size_t)(i / D) * 2 * D + D + i % D];
}
__global__ void products(const float* gate, float* out, int B, int D) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < B * D; i += gridDim.x * blockDim.x) out[i] *= gate[i];
}
extern "C" void silu_and_mul(const float* in, float* out, int B, int D, cudaStream_t stream) {
    int blocks = min((B * D + 255) / 256, 1056);
    float* gate;
    cudaMallocAsync(&gate, (size_t)B * D * sizeof(float), stream);
    gates<<<blocks, 256, 0, stream>>>(in, gate, B, D);
    cudaLaunchAttribute ahead = {};
    ahead.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    ahead.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(256);
    config.stream = stream;
    config.attrs = &ahead;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, ups, in, out, B, D);
    products<<<blocks, 256, 0, stream>>>(gate, out, B, D);
    cudaFreeAsync(gate, stream);
}
