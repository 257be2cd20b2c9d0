// BF16 products, FP32 sums, the default stream
// gauntlet: operator=dot_product precision=bf16
#include <cuda_bf16.h>
__global__ void dot(float* result, const __nv_bfloat16* x, const __nv_bfloat16* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? __bfloat162float(x[i]) * __bfloat162float(y[i]) : 0.0f;
    for (int offset = 16; offset; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(result, sum);
}
extern "C" void dot_product_bf16(float* result, const __nv_bfloat16* X, const __nv_bfloat16* Y, int N) {
    dot<<<(N + 255) / 256, 256>>>(result, X, Y, N);
}
