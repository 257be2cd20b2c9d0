// Merging of BF16 attention states with FP32 arithmetic: one thread for each element, along a head.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>

__device__ float finite(__nv_bfloat16 lse) {
    float x = __bfloat162float(lse);
    return isinf(x) ? -FLT_MAX : x;
}

__global__ void merge_attn_states_kernel(__nv_bfloat16* V_out, __nv_bfloat16* LSE_out, const __nv_bfloat16* V_a,
                                         const __nv_bfloat16* lse_a, const __nv_bfloat16* V_b,
                                         const __nv_bfloat16* lse_b, int num_tokens, int num_heads, int head_size) {
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= (size_t)num_tokens * num_heads * head_size) return;
    size_t row = at / head_size;
    size_t token = row / num_heads, head = row % num_heads;
    size_t state = head * num_tokens + token;
    float a = finite(lse_a[state]), b = finite(lse_b[state]);
    float m = fmaxf(a, b);
    float pa = expf(a - m), pb = expf(b - m);
    float s = pa + pb;
    V_out[at] = __float2bfloat16(__bfloat162float(V_a[at]) * (pa / s) + __bfloat162float(V_b[at]) * (pb / s));
    if (LSE_out && at % head_size == 0) LSE_out[state] = __float2bfloat16(logf(s) + m);
}

extern "C" void merge_attn_states_bf16(__nv_bfloat16* V_out, __nv_bfloat16* LSE_out, const __nv_bfloat16* V_a,
                                       const __nv_bfloat16* lse_a, const __nv_bfloat16* V_b,
                                       const __nv_bfloat16* lse_b, int num_tokens, int num_heads, int head_size,
                                       cudaStream_t stream) {
    size_t elements = (size_t)num_tokens * num_heads * head_size;
    int block = 256;
    merge_attn_states_kernel<<<(elements + block - 1) / block, block, 0, stream>>>(
        V_out, LSE_out, V_a, lse_a, V_b, lse_b, num_tokens, num_heads, head_size);
}
