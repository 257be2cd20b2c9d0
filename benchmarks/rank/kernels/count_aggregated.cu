// How many elements are positive: every thread adds to one counter, and one thread a block does.
#include <cuda_runtime.h>

__global__ void count_threads(const float* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) atomicAdd(out, 1u);
}

__global__ void count_blocks(const float* in, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int found = __syncthreads_count(i < n && in[i] > 0);
    if (threadIdx.x == 0) atomicAdd(out, found);
}

extern "C" void slow(const float* in, unsigned* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof *out, stream);
    count_threads<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}

extern "C" void fast(const float* in, unsigned* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, sizeof *out, stream);
    count_blocks<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}
