// The same streaming kernel in blocks of 256 and of 512 threads; both fill an SM.
#include <cuda_runtime.h>

__global__ void add_one(const float4* in, float4* out, int quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    float4 v = in[i];
    out[i] = make_float4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
}

static void launch(const float* in, float* out, int n, int threads, cudaStream_t stream) {
    add_one<<<(n / 4 + threads - 1) / threads, threads, 0, stream>>>(
        reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out), n / 4);
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) { launch(in, out, n, 512, stream); }

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) { launch(in, out, n, 256, stream); }
