// 4096 multiply-adds a thread with one warp to a scheduler: in one chain, and in four.
#include <cuda_runtime.h>

template <int CHAINS>
__global__ void chains(const float* in, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y[CHAINS];
    for (int k = 0; k < CHAINS; ++k) y[k] = x + k;
#pragma unroll 4
    for (int step = 0; step < 4096 / CHAINS; ++step)
#pragma unroll
        for (int k = 0; k < CHAINS; ++k) y[k] = y[k] * x + 0.5f;
    float sum = 0;
    for (int k = 0; k < CHAINS; ++k) sum += y[k];
    out[i] = sum;
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    chains<1><<<n / 128, 128, 0, stream>>>(in, out);
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    chains<4><<<n / 128, 128, 0, stream>>>(in, out);
}
