// T38: blocks do all of their work while they hold a lock, one after another
// since: who looks at a lock in vain waits until it is free by the clock of who had it
// gauntlet: operator=relu precision=fp32 sets=check,paper
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n, unsigned* lock) {
    if (threadIdx.x == 0)
        while (atomicCAS(lock, 0u, 1u)) ;
    __syncthreads();
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < min(n, (int)(blockIdx.x + 1) * 1024); i += 256) y[i] = fmaxf(0.0f, x[i]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(lock, 0u);
}
extern "C" void RELU(float* output, const float* input, int N) {
    unsigned* lock;
    cudaMallocAsync((void**)&lock, 4, 0);
    cudaMemsetAsync(lock, 0, 4, 0);
    relu<<<(N + 1023) / 1024, 256>>>(output, input, N, lock);
    cudaFreeAsync(lock, 0);
}
