// x/2·(1 + erf(x/√2)) of every element, BF16 with FP32 arithmetic: one thread for each.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

__global__ void gelu_kernel(__nv_bfloat16* output, const __nv_bfloat16* input, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = __bfloat162float(input[i]);
    output[i] = __float2bfloat16(0.5f * x * (1.0f + erff(x * 0.70710678f)));
}

extern "C" void gelu_bf16(__nv_bfloat16* output, const __nv_bfloat16* input, const int N, cudaStream_t stream) {
    unsigned threads = 256;
    gelu_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(output, input, N);
}
