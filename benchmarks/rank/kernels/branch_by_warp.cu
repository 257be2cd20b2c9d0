// Two loops of the same length chosen by a branch on which no two lanes of a warp differ, and one loop for all.
#include <cuda_runtime.h>

__device__ float turn(float x, float add) {
    float y = x;
#pragma unroll 8
    for (int k = 0; k < 256; ++k) y = y * x + add;
    return y;
}

__global__ void chosen(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    if (threadIdx.x / 32 % 2) out[i] = turn(x, 0.5f);
    else out[i] = turn(x, x);
}

__global__ void uniform(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = turn(in[i], 0.5f);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    chosen<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    uniform<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}
