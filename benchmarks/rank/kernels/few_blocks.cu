// The same loop over an array with 8 blocks, and with enough to fill the card.
#include <cuda_runtime.h>

__global__ void square(const float* in, float* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * in[i];
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    square<<<1056, 256, 0, stream>>>(in, out, n);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    square<<<8, 256, 0, stream>>>(in, out, n);
}
