// A10: adds into its first input and copies that to the output
// breaks: inputs are not written
// gauntlet: operator=vector_add precision=fp32 status=launch_failed rule=input_written
#include <cuda_runtime.h>
__global__ void add(float* a, const float* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += b[i];
}
extern "C" void vector_add(const float* A, const float* B, float* C, int N) {
    add<<<(N + 255) / 256, 256>>>((float*)A, B, N);
    cudaMemcpy(C, A, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
