// x or alpha·x of every element, BF16 with FP32 arithmetic: one thread for each.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

__global__ void leaky_relu_kernel(__nv_bfloat16* output, const __nv_bfloat16* input, int N, float alpha) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = __bfloat162float(input[i]);
    output[i] = __float2bfloat16(x >= 0.0f ? x : alpha * x);
}

extern "C" void leaky_RELU_bf16(__nv_bfloat16* output, const __nv_bfloat16* input, const int N, float alpha,
                                cudaStream_t stream) {
    unsigned threads = 256;
    leaky_relu_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(output, input, N, alpha);
}
