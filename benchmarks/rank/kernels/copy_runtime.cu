// A copy on the device: by the runtime's call, and by a kernel of 16-byte accesses.
#include <cuda_runtime.h>

__global__ void copy(const float4* in, float4* out, int quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) out[i] = in[i];
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    cudaMemcpyAsync(out, in, n * sizeof *out, cudaMemcpyDeviceToDevice, stream);
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    copy<<<(n / 4 + 255) / 256, 256, 0, stream>>>(reinterpret_cast<const float4*>(in),
                                                  reinterpret_cast<float4*>(out), n / 4);
}
