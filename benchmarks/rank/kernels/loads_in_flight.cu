// A sum by 256 threads an SM: one load waited for at a time, and eight under way together.
#include <cuda_runtime.h>

template <int TOGETHER>
__global__ void sums(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (int at = i; at + (TOGETHER - 1) * step < n; at += TOGETHER * step) {
        float own[TOGETHER];
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k) own[k] = in[at + k * step];
#pragma unroll
        for (int k = 0; k < TOGETHER; ++k) sum += own[k];
    }
    out[i] = sum;
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    sums<1><<<128, 256, 0, stream>>>(in, out, n);
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    sums<8><<<128, 256, 0, stream>>>(in, out, n);
}
