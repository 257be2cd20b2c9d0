// Inclusive sums of 1024 elements a block: ten rounds in shared memory with barriers, and warp shuffles.
#include <cuda_runtime.h>

__global__ void scan_rounds(const float* in, float* out, int n) {
    __shared__ float sums[2][1024];
    int own = threadIdx.x, i = blockIdx.x * 1024 + own, side = 0;
    sums[0][own] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < 1024; step *= 2) {
        float before = own >= step ? sums[side][own - step] : 0;
        sums[1 - side][own] = sums[side][own] + before;
        side = 1 - side;
        __syncthreads();
    }
    if (i < n) out[i] = sums[side][own];
}

__device__ float scan_warp(float value) {
    for (int step = 1; step < 32; step *= 2) {
        float before = __shfl_up_sync(~0u, value, step);
        if (threadIdx.x % 32 >= step) value += before;
    }
    return value;
}

__global__ void scan_shuffles(const float* in, float* out, int n) {
    __shared__ float totals[32];
    int i = blockIdx.x * 1024 + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float value = scan_warp(i < n ? in[i] : 0);
    if (lane == 31) totals[warp] = value;
    __syncthreads();
    if (warp == 0) totals[lane] = scan_warp(totals[lane]);
    __syncthreads();
    if (warp) value += totals[warp - 1];
    if (i < n) out[i] = value;
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    scan_rounds<<<(n + 1023) / 1024, 1024, 0, stream>>>(in, out, n);
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    scan_shuffles<<<(n + 1023) / 1024, 1024, 0, stream>>>(in, out, n);
}
