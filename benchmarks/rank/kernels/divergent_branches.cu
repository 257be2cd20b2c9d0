// Half of all threads run one long loop, half another: chosen lane by lane, and warp by warp.
#include <cuda_runtime.h>

__device__ float first(float x) {
    float y = x;
#pragma unroll 8
    for (int k = 0; k < 256; ++k) y = y * x + 0.5f;
    return y;
}

__device__ float second(float x) {
    float y = 1;
#pragma unroll 8
    for (int k = 0; k < 256; ++k) y = (y + x) * 0.25f;
    return y;
}

template <int RUN>
__global__ void choose(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = i / RUN % 2 ? first(in[i]) : second(in[i]);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    choose<1><<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    choose<32><<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}
