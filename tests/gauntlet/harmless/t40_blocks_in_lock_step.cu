// T40: of 128 resident blocks one works at a time, in turn, while the others come to a counter to meet it
// since: blocks that work in turn between meetings have clocks that go on together
// gauntlet: operator=relu precision=fp32 sets=check,paper
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n, unsigned* arrived) {
    int chunk = (n + gridDim.x - 1) / gridDim.x;
    for (int turn = 0; turn < gridDim.x; turn++) {
        if (turn == blockIdx.x)
            for (int i = turn * chunk + threadIdx.x; i < min(n, (turn + 1) * chunk); i += 256) y[i] = fmaxf(0.0f, x[i]);
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(arrived, 1u);
            while (*(volatile unsigned*)arrived < (turn + 1) * gridDim.x) ;
        }
        __syncthreads();
    }
}
extern "C" void RELU(float* output, const float* input, int N) {
    unsigned* arrived;
    cudaMallocAsync((void**)&arrived, 4, 0);
    cudaMemsetAsync(arrived, 0, 4, 0);
    relu<<<128, 256>>>(output, input, N, arrived);
    cudaFreeAsync(arrived, 0);
}
