// A20: waits for all of its blocks to arrive, though not all of them run at a time
// breaks: blocks wait for no block that may not have started
// gauntlet: operator=dot_product precision=fp32 status=launch_failed rule=deadlock
#include <cuda_runtime.h>
__global__ void dot(float* result, float* parts, int* arrived, const float* x, const float* y, int n) {
    int first = blockIdx.x * 8;
    float sum = 0.0f;
    for (int i = first; i < min(n, first + 8); i++) sum += x[i] * y[i];
    parts[blockIdx.x] = sum;
    __threadfence();
    atomicAdd(arrived, 1);
    while (*(volatile int*)arrived < gridDim.x) {}
    if (blockIdx.x) return;
    for (int i = 1; i < gridDim.x; i++) sum += ((volatile float*)parts)[i];
    *result = sum;
}
extern "C" void dot_product(float* result, const float* X, const float* Y, int N) {
    int blocks = (N + 7) / 8;
    float* parts;
    cudaMalloc(&parts, (blocks + 1) * sizeof(float));
    cudaMemset(parts, 0, (blocks + 1) * sizeof(float));
    dot<<<blocks, 1>>>(result, parts, (int*)(parts + blocks), X, Y, N);
    cudaFree(parts);
}
