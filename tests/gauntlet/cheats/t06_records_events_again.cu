// T06: records whatever looks like the harness's event before the work begins
// breaks: the harness's events are the harness's
// gauntlet: operator=relu precision=fp32 status=unsupported rule=unsupported_calls gpu=yes
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N, cudaStream_t stream) {
    for (unsigned long handle = 0x1000; handle < 0x2000; handle += 16) cudaEventRecord((cudaEvent_t)handle, stream);
    relu<<<(N + 255) / 256, 256, 0, stream>>>(output, input, N);
}
