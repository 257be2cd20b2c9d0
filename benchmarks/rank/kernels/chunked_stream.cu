// y = 2 x by one launch, and by one for each sixteenth of the array: no part is read twice, so L2 saves nothing.
#include <cuda_runtime.h>

__global__ void twice(const float* in, float* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i];
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    twice<<<n / 256, 256, 0, stream>>>(in, out, n);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    for (int part = 0; part < 16; ++part)
        twice<<<n / 4096, 256, 0, stream>>>(in + part * (n / 16), out + part * (n / 16), n / 16);
}
