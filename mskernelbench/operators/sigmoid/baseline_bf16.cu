// 1/(1 + e^-x) of every element, BF16 with FP32 arithmetic: one thread for each.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

__global__ void sigmoid_kernel(__nv_bfloat16* out, const __nv_bfloat16* input, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = __bfloat162float(input[i]);
    out[i] = __float2bfloat16(1.0f / (1.0f + expf(-x)));
}

extern "C" void sigmoid_bf16(__nv_bfloat16* out, const __nv_bfloat16* input, const int N, cudaStream_t stream) {
    unsigned threads = 256;
    sigmoid_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(out, input, N);
}
