// Sums of 32 entries each of a table of 1024, chosen by the data: the table in constant and in shared memory.
#include <cuda_runtime.h>

__constant__ float fixed[1024] = {1.0f, 0.5f, 0.25f};
__device__ float given[1024] = {1.0f, 0.5f, 0.25f};

__global__ void from_constant(const float* in, float* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    unsigned at = __float_as_uint(in[i]);
    float sum = 0;
    for (int j = 0; j < 32; ++j, at = at * 1664525u + 1013904223u) sum += fixed[at >> 22];
    out[i] = sum;
}

__global__ void from_shared(const float* in, float* out, int n) {
    __shared__ float table[1024];
    for (int j = threadIdx.x; j < 1024; j += 256) table[j] = given[j];
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    unsigned at = __float_as_uint(in[i]);
    float sum = 0;
    for (int j = 0; j < 32; ++j, at = at * 1664525u + 1013904223u) sum += table[at >> 22];
    out[i] = sum;
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    from_shared<<<n / 256, 256, 0, stream>>>(in, out, n);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    from_constant<<<n / 256, 256, 0, stream>>>(in, out, n);
}
