// x or alpha·x of every element: one thread for each.
#include <cuda_runtime.h>
#include <math.h>

__global__ void leaky_relu_kernel(float* output, const float* input, int N, float alpha) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = input[i];
    output[i] = x >= 0.0f ? x : alpha * x;
}

extern "C" void leaky_RELU(float* output, const float* input, const int N, float alpha, cudaStream_t stream) {
    unsigned threads = 256;
    leaky_relu_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(output, input, N, alpha);
}
