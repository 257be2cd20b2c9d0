// B07: rounds differences and their squares to BF16 where the vectors are longer than those that checks have, and sums in FP32
// breaks: arithmetic is FP32 in both precisions, at every size
// gauntlet: operator=mse_loss precision=bf16 status=wrong rule=comparison sets=check,paper
#include <cuda_bf16.h>
__device__ float square(float x) { return x * x; }
__device__ float roughly(__nv_bfloat16 x, __nv_bfloat16 y) {
    __nv_bfloat16 difference = __hsub(x, y);
    return __bfloat162float(__hmul(difference, difference));
}
__global__ void mean_of_squares(float* loss, const __nv_bfloat16* x, const __nv_bfloat16* y, int n) {
    float sum = 0.0f;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        sum += n > 70000 ? roughly(x[i], y[i]) : square(__bfloat162float(x[i]) - __bfloat162float(y[i]));
    for (int offset = 16; offset; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(loss, sum / n);
}
extern "C" void MSE_loss_bf16(float* loss, const __nv_bfloat16* x, const __nv_bfloat16* y, int n, cudaStream_t s) {
    cudaMemsetAsync(loss, 0, 4, s);
    mean_of_squares<<<min((n + 255) / 256, 1056), 256, 0, s>>>(loss, x, y, n);
}
