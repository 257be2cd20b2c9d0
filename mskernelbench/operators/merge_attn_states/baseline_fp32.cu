// Merging of attention states: one thread for each element, neighbouring threads along a head.
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>

__device__ float finite(float lse) { return isinf(lse) ? -FLT_MAX : lse; }

__global__ void merge_attn_states_kernel(float* V_out, float* LSE_out, const float* V_a, const float* lse_a,
                                         const float* V_b, const float* lse_b, int num_tokens, int num_heads,
                                         int head_size) {
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= (size_t)num_tokens * num_heads * head_size) return;
    size_t row = at / head_size;
    size_t token = row / num_heads, head = row % num_heads;
    size_t state = head * num_tokens + token;
    float a = finite(lse_a[state]), b = finite(lse_b[state]);
    float m = fmaxf(a, b);
    float pa = expf(a - m), pb = expf(b - m);
    float s = pa + pb;
    V_out[at] = V_a[at] * (pa / s) + V_b[at] * (pb / s);
    if (LSE_out && at % head_size == 0) LSE_out[state] = logf(s) + m;
}

extern "C" void merge_attn_states(float* V_out, float* LSE_out, const float* V_a, const float* lse_a, const float* V_b,
                                  const float* lse_b, int num_tokens, int num_heads, int head_size,
                                  cudaStream_t stream) {
    size_t elements = (size_t)num_tokens * num_heads * head_size;
    int block = 256;
    merge_attn_states_kernel<<<(elements + block - 1) / block, block, 0, stream>>>(
        V_out, LSE_out, V_a, lse_a, V_b, lse_b, num_tokens, num_heads, head_size);
}
