// A sum of 256-element blocks in shared memory: interleaved threads stay busy, and neighbouring ones.
#include <cuda_runtime.h>

__global__ void reduce_interleaved(const float* in, float* out) {
    __shared__ float values[256];
    int t = threadIdx.x;
    values[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        if (t % (2 * step) == 0) values[t] += values[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = values[0];
}

__global__ void reduce_front(const float* in, float* out) {
    __shared__ float values[256];
    int t = threadIdx.x;
    values[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 128; step; step /= 2) {
        if (t < step) values[t] += values[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = values[0];
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    reduce_front<<<n / 256, 256, 0, stream>>>(in, out);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    reduce_interleaved<<<n / 256, 256, 0, stream>>>(in, out);
}
