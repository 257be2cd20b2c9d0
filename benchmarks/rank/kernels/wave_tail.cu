// The same arithmetic in as many blocks as the card has SMs, and in one more, which runs alone.
#include <cuda_runtime.h>

__global__ void work(const float* in, float* out, int n, int rounds) {
    extern __shared__ float only_one_block_an_sm[];
    int i = (blockIdx.x * blockDim.x + threadIdx.x) % n;
    float x = in[i], y[4] = {x, x + 1, x + 2, x + 3};
    for (int k = 0; k < rounds; ++k)
        for (float& one : y) one = one * x + 0.5f;
    out[i] = y[0] + y[1] + y[2] + y[3];
}

static void launch(const float* in, float* out, int n, int more, cudaStream_t stream) {
    int sms = 0, most = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    cudaFuncSetAttribute(work, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    work<<<sms + more, 1024, most, stream>>>(in, out, n, 8192 * sms / (sms + more));
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) { launch(in, out, n, 1, stream); }

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) { launch(in, out, n, 0, stream); }
