// L07: adds up on the host, and launches a kernel that does nothing in the time that is taken
// breaks: a call's work is done by kernels
// gauntlet: operator=prefix_sum precision=fp32 status=cheated rule=bytes_left_out sets=check,paper
#include <cuda_runtime.h>
#include <stdlib.h>
__global__ void decoy(float* y) {
    if (blockIdx.x == gridDim.x) y[0] = 0.0f;
}
extern "C" void prefix_sum(float* output, const float* input, int N) {
    float* sums = (float*)malloc(4l * N);
    cudaMemcpy(sums, input, 4l * N, cudaMemcpyDeviceToHost);
    double sum = 0.0;
    for (int i = 0; i < N; i++) sums[i] = (float)(sum += sums[i]);
    cudaMemcpy(output, sums, 4l * N, cudaMemcpyHostToDevice);
    decoy<<<1024, 256>>>(output);
    free(sums);
}
