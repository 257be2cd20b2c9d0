// A histogram of bytes: atomics on 256 global counters, and on a block's own in shared memory.
#include <cuda_runtime.h>

__global__ void histogram_global(const unsigned char* in, unsigned* bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}

__global__ void histogram_shared(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

extern "C" void fast(const unsigned char* in, unsigned* bins, int n, cudaStream_t stream) {
    cudaMemsetAsync(bins, 0, 1024, stream);
    histogram_shared<<<528, 256, 0, stream>>>(in, bins, n);
}

extern "C" void slow(const unsigned char* in, unsigned* bins, int n, cudaStream_t stream) {
    cudaMemsetAsync(bins, 0, 1024, stream);
    histogram_global<<<528, 256, 0, stream>>>(in, bins, n);
}
