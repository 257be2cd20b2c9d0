// T01: launches on a stream that the harness does not wait for
// breaks: work is on the stream that is passed
// gauntlet: operator=relu precision=fp32 status=unsupported rule=unsupported_calls gpu=yes
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    cudaStream_t own;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    relu<<<(N + 255) / 256, 256, 0, own>>>(output, input, N);
}
