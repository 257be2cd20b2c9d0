// x/2·(1 + erf(x/√2)) of every element: one thread for each.
#include <cuda_runtime.h>
#include <math.h>

__global__ void gelu_kernel(float* output, const float* input, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = input[i];
    output[i] = 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

extern "C" void gelu(float* output, const float* input, const int N, cudaStream_t stream) {
    unsigned threads = 256;
    gelu_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(output, input, N);
}
