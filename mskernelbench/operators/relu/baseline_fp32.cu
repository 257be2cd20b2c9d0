// max(0, x) of every element: one thread for each.
#include <cuda_runtime.h>
#include <math.h>

__global__ void relu_kernel(float* output, const float* input, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = input[i];
    output[i] = fmaxf(x, 0.0f);
}

extern "C" void RELU(float* output, const float* input, int N, cudaStream_t stream) {
    unsigned threads = 256;
    relu_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(output, input, N);
}
