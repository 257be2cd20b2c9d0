// A bitonic network over a padded copy, one launch a step from two nested host loops.
#include <cuda_runtime.h>
#include <math.h>

__global__ void fill_rest(float* keys, int N, int padded) {
    int i = N + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < padded) keys[i] = INFINITY;
}

__global__ void exchange(float* keys, int distance, int run) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
    if (other <= i) return;
    bool rising = (i & run) == 0;
    float a = keys[i], b = keys[other];
    if ((a > b) == rising) {
        keys[i] = b;
        keys[other] = a;
    }
}

extern "C" void sorting_optimized(float* data, int N) {
    int padded = 256;
    while (padded < N) padded *= 2;
    float* keys;
    cudaMalloc(&keys, padded * sizeof(float));
    cudaMemcpy(keys, data, N * sizeof(float), cudaMemcpyDeviceToDevice);
    if (padded > N) fill_rest<<<(padded - N + 255) / 256, 256>>>(keys, N, padded);
    for (int run = 2; run <= padded; run *= 2)
        for (int distance = run / 2; distance > 0; distance /= 2)
            exchange<<<padded / 256, 256>>>(keys, distance, run);
    cudaMemcpy(data, keys, N * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    cudaFree(keys);
}
