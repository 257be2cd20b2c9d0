// T05: has the stream call host code, which does the work where no event sees it
// breaks: a call's work is done by kernels
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports gpu=yes
#include <cuda_runtime.h>
static void later(void* n) { *(int*)n = 0; }
static int size;
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N, cudaStream_t stream) {
    relu<<<(N + 255) / 256, 256, 0, stream>>>(output, input, N);
    cudaLaunchHostFunc(stream, later, &size);
}
