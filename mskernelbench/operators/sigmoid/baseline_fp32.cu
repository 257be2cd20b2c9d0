// 1/(1 + e^-x) of every element: one thread for each.
#include <cuda_runtime.h>
#include <math.h>

__global__ void sigmoid_kernel(float* out, const float* input, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = input[i];
    out[i] = 1.0f / (1.0f + expf(-x));
}

extern "C" void sigmoid(float* out, const float* input, const int N, cudaStream_t stream) {
    unsigned threads = 256;
    sigmoid_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(out, input, N);
}
