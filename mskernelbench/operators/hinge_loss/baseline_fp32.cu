// max(0, 1 - y·prediction), y = 1 or -1 by the target: one thread for each.
#include <cuda_runtime.h>
#include <math.h>

__global__ void hinge_loss_kernel(float* loss, const float* predictions, const int* targets, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float y = targets[i] == 1 ? 1.0f : -1.0f;
    loss[i] = fmaxf(0.0f, 1.0f - y * predictions[i]);
}

extern "C" void hinge_loss(float* loss, const float* predictions, const int* targets, int N,
                           cudaStream_t stream) {
    unsigned threads = 256;
    hinge_loss_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(loss, predictions, targets, N);
}
