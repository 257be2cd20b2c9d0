// T48: blocks wait for the one before them only in the middle of a large grid
// since: as many blocks are resident as the GPU holds, in grids of any size
// gauntlet: operator=relu precision=fp32 sets=check,real
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n, unsigned* done) {
    __shared__ unsigned mine;
    if (threadIdx.x == 0) {
        mine = atomicAdd(done, 1u) + 1;
        if (mine % 32768 > 20000) while (!*(volatile unsigned*)(done + mine - 1)) ;
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
