// A12: adds to a sum in new device memory that it never cleared
// breaks: memory is written before it is read
// gauntlet: operator=dot_product precision=fp32 status=wrong rule=uninitialised
#include <cuda_runtime.h>
__global__ void dot(float* sum, const float* x, const float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i] * y[i]);
}
extern "C" void dot_product(float* result, const float* X, const float* Y, int N) {
    float* sum;
    cudaMalloc(&sum, sizeof(float));
    dot<<<(N + 255) / 256, 256>>>(sum, X, Y, N);
    cudaMemcpy(result, sum, sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(sum);
}
