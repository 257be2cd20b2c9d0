// Half as many elements: every second one, and the first half.
#include <cuda_runtime.h>

template <int STRIDE>
__global__ void take(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * STRIDE];
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    take<2><<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    take<1><<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}
