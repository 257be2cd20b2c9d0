// gate/(1 + e^(-beta·gate))·value of every element: one thread for each.
#include <cuda_runtime.h>
#include <math.h>

__global__ void swiglu_kernel(float* output, const float* gate, const float* value, float beta,
                              int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = gate[i];
    output[i] = x / (1.0f + expf(-beta * x)) * value[i];
}

extern "C" void SwiGLU(float* output, const float* gate, const float* value, float beta,
                       int N, cudaStream_t stream) {
    unsigned threads = 256;
    swiglu_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(output, gate, value, beta, N);
}
