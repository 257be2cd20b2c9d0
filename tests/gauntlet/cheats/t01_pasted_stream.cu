// T01: launches on a stream of its own whose making no search of the text finds
// breaks: work is on the stream that is passed
// gauntlet: operator=relu precision=fp32 status=unsupported rule=unsupported_calls gpu=yes
#include <cuda_runtime.h>
#define JOIN(a, b) a##b
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    cudaStream_t own;
    JOIN(cudaSt, reamCreateWithFlags)(&own, 1);
    relu<<<(N + 255) / 256, 256, 0, own>>>(output, input, N);
}
