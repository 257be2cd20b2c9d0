// A transpose through a 32 x 32 tile of shared memory, with and without the column that avoids bank conflicts.
#include <cuda_runtime.h>

template <int PADDING>
__global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][32 + PADDING];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    transpose<1><<<dim3(n / 32, n / 32), dim3(32, 8), 0, stream>>>(in, out, n);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    transpose<0><<<dim3(n / 32, n / 32), dim3(32, 8), 0, stream>>>(in, out, n);
}
