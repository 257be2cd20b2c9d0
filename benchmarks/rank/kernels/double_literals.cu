// A polynomial of degree 31 an element: FP32 literals, and literals that make the arithmetic FP64.
#include <cuda_runtime.h>

__global__ void polynomial_single(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i], y = 1.0f;
#pragma unroll
    for (int k = 0; k < 32; ++k) y = y * x + 0.7f;
    out[i] = y;
}

__global__ void polynomial_double(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i], y = 1.0f;
#pragma unroll
    for (int k = 0; k < 32; ++k) y = y * x + 0.7;
    out[i] = y;
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    polynomial_single<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    polynomial_double<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}
