// Rotary position embedding of BF16 rows with FP32 angles: one thread for each pair, along a row.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

__global__ void rope_kernel(__nv_bfloat16* output, const __nv_bfloat16* input, size_t pairs, int half, float base) {
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= pairs) return;
    int m = (int)(at / half), p = (int)(at % half);
    float angle = m * powf(base, -(float)p / half);
    float sine, cosine;
    sincosf(angle, &sine, &cosine);
    float x = __bfloat162float(input[2 * at]), y = __bfloat162float(input[2 * at + 1]);
    output[2 * at] = __float2bfloat16(x * cosine - y * sine);
    output[2 * at + 1] = __float2bfloat16(x * sine + y * cosine);
}

extern "C" void rope_bf16(__nv_bfloat16* output, const __nv_bfloat16* input, int M, int D, float base,
                          cudaStream_t stream) {
    int half = D / 2;
    size_t pairs = (size_t)M * half;
    int block = 256;
    rope_kernel<<<(pairs + block - 1) / block, block, 0, stream>>>(output, input, pairs, half, base);
}
