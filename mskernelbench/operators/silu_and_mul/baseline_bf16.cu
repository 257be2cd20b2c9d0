// x/(1 + e^-x)·g, x and g side by side in a row, BF16 with FP32 arithmetic:
// neighbouring threads along a row, one for each output.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

__global__ void silu_and_mul_kernel(const __nv_bfloat16* in, __nv_bfloat16* out, int B, int D) {
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d >= D) return;
    for (int b = blockIdx.y; b < B; b += gridDim.y) {
        const __nv_bfloat16* row = in + (size_t)b * 2 * D;
        float x = __bfloat162float(row[d]);
        float g = __bfloat162float(row[D + d]);
        out[(size_t)b * D + d] = __float2bfloat16(x / (1.0f + expf(-x)) * g);
    }
}

extern "C" void silu_and_mul_bf16(const __nv_bfloat16* in, __nv_bfloat16* out, int B, int D, cudaStream_t stream) {
    int threads = 256;
    dim3 grid((D + threads - 1) / threads, min(B, 65535));
    silu_and_mul_kernel<<<grid, threads, 0, stream>>>(in, out, B, D);
}
