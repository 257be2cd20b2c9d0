// Sixteen updates of a small array: a launch each, and one kernel that does them all.
#include <cuda_runtime.h>

__global__ void step_once(float* values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = 0.5f * values[i] + 1.0f;
}

__global__ void step_often(float* values, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = values[i];
    for (int s = 0; s < steps; ++s) value = 0.5f * value + 1.0f;
    values[i] = value;
}

extern "C" void fast(float* values, int n, cudaStream_t stream) {
    step_often<<<(n + 255) / 256, 256, 0, stream>>>(values, n, 16);
}

extern "C" void slow(float* values, int n, cudaStream_t stream) {
    for (int s = 0; s < 16; ++s) step_once<<<(n + 255) / 256, 256, 0, stream>>>(values, n);
}
