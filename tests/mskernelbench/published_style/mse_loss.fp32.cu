// Warp sums added into the one number of the result.
#include <cuda_runtime.h>

__global__ void squares(float* loss, const float* X, const float* Y, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float d = i < N ? X[i] - Y[i] : 0.f;
    float sum = d * d;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if ((threadIdx.x & 31) == 0) atomicAdd(loss, sum / N);
}

extern "C" void MSE_loss_origin(float* loss, const float* X, const float* Y, int N) {
    squares<<<(N + 511) / 512, 512>>>(loss, X, Y, N);
    cudaDeviceSynchronize();
}
