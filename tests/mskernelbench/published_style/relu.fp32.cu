// Four numbers a thread and the rest one by one; the entry waits for the device.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void relu_vec4(float4* out, const float4* in, int quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    float4 v = in[i];
    out[i] = make_float4(fmaxf(v.x, 0.f), fmaxf(v.y, 0.f), fmaxf(v.z, 0.f), fmaxf(v.w, 0.f));
}

__global__ void relu_rest(float* out, const float* in, int first, int N) {
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) out[i] = fmaxf(in[i], 0.f);
}

extern "C" void RELU_optimized(float* output, const float* input, int N) {
    const int threads = 128;
    bool aligned = (uintptr_t)output % 16 == 0 && (uintptr_t)input % 16 == 0;
    int quads = aligned ? N / 4 : 0;
    if (quads > 0) relu_vec4<<<(quads + threads - 1) / threads, threads>>>((float4*)output, (const float4*)input, quads);
    int rest = N - 4 * quads;
    if (rest > 0) relu_rest<<<(rest + threads - 1) / threads, threads>>>(output, input, 4 * quads, N);
    cudaDeviceSynchronize();
}
