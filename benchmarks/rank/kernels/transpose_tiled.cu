// A transpose that writes columns directly, and one that turns a tile in shared memory first.
#include <cuda_runtime.h>

__global__ void transpose_direct(const float* in, float* out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

__global__ void transpose_tiled(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    transpose_tiled<<<dim3(n / 32, n / 32), dim3(32, 8), 0, stream>>>(in, out, n);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    transpose_direct<<<dim3(n / 32, n / 8), dim3(32, 8), 0, stream>>>(in, out, n);
}
