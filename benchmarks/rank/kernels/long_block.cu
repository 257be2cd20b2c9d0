// The same loop over an array: one of 264 blocks does it all, or each its share.
#include <cuda_runtime.h>

__global__ void square(const float* in, float* out, int n, int workers) {
    if (blockIdx.x >= workers) return;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += workers * blockDim.x) out[i] = in[i] * in[i];
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    square<<<264, 1024, 0, stream>>>(in, out, n, 264);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    square<<<264, 1024, 0, stream>>>(in, out, n, 1);
}
