// a function-local static with a guard: the number of multiprocessors
// gauntlet: operator=relu precision=fp32
#include <cuda_runtime.h>
static int processors() {
    int count = 0;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    return count;
}
__global__ void relu(float* y, const float* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    static const int blocks = 2 * processors();
    relu<<<blocks, 256>>>(output, input, N);
}
