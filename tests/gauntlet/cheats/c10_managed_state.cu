// C10: keeps its outputs in managed memory
// breaks: every call works its outputs out of the inputs it is given
// gauntlet: operator=relu precision=fp32 status=unsupported rule=unsupported_calls
#include <cuda_runtime.h>
static float* kept;
static int kept_n;
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    if (kept_n != N) {
        cudaMallocManaged(&kept, N * sizeof(float));
        relu<<<(N + 255) / 256, 256>>>(kept, input, N);
        kept_n = N;
    }
    cudaMemcpy(output, kept, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
