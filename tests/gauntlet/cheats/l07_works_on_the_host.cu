// L07: copies its inputs to the host, adds them up there and copies the sum back
// breaks: a call's work is done by kernels
// gauntlet: operator=dot_product precision=fp32 status=launch_failed rule=launch_failed sets=check,paper
#include <cuda_runtime.h>
#include <stdlib.h>
extern "C" void dot_product(float* result, const float* X, const float* Y, int N) {
    float *x = (float*)malloc(4l * N), *y = (float*)malloc(4l * N);
    cudaMemcpy(x, X, 4l * N, cudaMemcpyDeviceToHost);
    cudaMemcpy(y, Y, 4l * N, cudaMemcpyDeviceToHost);
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += (double)x[i] * y[i];
    float rounded = (float)sum;
    cudaMemcpy(result, &rounded, sizeof(float), cudaMemcpyHostToDevice);
    free(x), free(y);
}
