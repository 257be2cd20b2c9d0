// A streaming kernel with all the warps an SM can hold, and with one block of 64 threads an SM.
#include <cuda_runtime.h>

__global__ void add_one(const float* in, float* out, int n) {
    extern __shared__ float unused[];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] + 1;
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    add_one<<<1056, 256, 0, stream>>>(in, out, n);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    int most = 0;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    cudaFuncSetAttribute(add_one, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    add_one<<<4224, 64, most, stream>>>(in, out, n);
}
