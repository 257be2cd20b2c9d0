// B07: adds its products in BF16, where a sum of ones stops at 256
// breaks: sums of BF16 products are kept in FP32
// gauntlet: operator=dot_product precision=bf16 status=wrong rule=comparison
#include <cuda_bf16.h>
__global__ void dot(float* result, const __nv_bfloat16* x, const __nv_bfloat16* y, int n) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 512;
    __nv_bfloat16 sum = __float2bfloat16(0.0f);
    for (int i = first; i < min(n, first + 512); i++) sum = __hadd(sum, __hmul(x[i], y[i]));
    if (first < n) atomicAdd(result, __bfloat162float(sum));
}
extern "C" void dot_product_bf16(float* result, const __nv_bfloat16* X, const __nv_bfloat16* Y, int N) {
    dot<<<(N + 32767) / 32768, 64>>>(result, X, Y, N);
}
