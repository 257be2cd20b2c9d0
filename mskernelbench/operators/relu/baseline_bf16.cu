// max(0, x) of every element, BF16 with FP32 arithmetic: one thread for each.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

__global__ void relu_kernel(__nv_bfloat16* output, const __nv_bfloat16* input, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = __bfloat162float(input[i]);
    output[i] = __float2bfloat16(fmaxf(x, 0.0f));
}

extern "C" void RELU_bf16(__nv_bfloat16* output, const __nv_bfloat16* input, int N, cudaStream_t stream) {
    unsigned threads = 256;
    relu_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(output, input, N);
}
