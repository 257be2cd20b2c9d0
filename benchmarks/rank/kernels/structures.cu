// The first of eight fields of many records: an array of structures, and a structure of arrays.
#include <cuda_runtime.h>

__global__ void field_of_structures(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * 8] + 1.0f;
}

__global__ void field_of_arrays(const float* in, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1.0f;
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    field_of_arrays<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    field_of_structures<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}
