// Sixteen sines an element: with full range reduction and accuracy, and by the special-function unit.
#include <cuda_runtime.h>

template <bool UNIT>
__global__ void sines(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i], sum = 0;
#pragma unroll
    for (int k = 1; k <= 16; ++k) sum += UNIT ? __sinf(x * k) : sinf(x * k);
    out[i] = sum;
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    sines<false><<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    sines<true><<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}
