// each block waits for the one 64 before it: as many chains as places are simulated where a grid has more than 16384 blocks
#include <cuda_runtime.h>
#ifndef BACK
#define BACK 64
#endif
__global__ void relu(float* y, const float* x, int n, unsigned* done) {
    __shared__ unsigned mine;
    if (threadIdx.x == 0) {
        mine = atomicAdd(done, 1u) + 1;
        if (mine > BACK) while (!*(volatile unsigned*)(done + mine - BACK)) ;
        __threadfence();
    }
    __syncthreads();
    int first = (mine - 1) * 1024;
    for (int i = first + threadIdx.x; i < min(n, first + 1024); i += 256) y[i] = fmaxf(0.0f, x[i]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(done + mine, 1u);
}
extern "C" void RELU(float* output, const float* input, int N) {
    int blocks = (N + 1023) / 1024;
    unsigned* done;
    cudaMallocAsync((void**)&done, (blocks + 1) * 4, 0);
    cudaMemsetAsync(done, 0, (blocks + 1) * 4, 0);
    relu<<<blocks, 256>>>(output, input, N, done);
    cudaFreeAsync(done, 0);
}
