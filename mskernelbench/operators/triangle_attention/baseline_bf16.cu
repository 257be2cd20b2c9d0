// Causal attention for every channel by itself, BF16 with FP32 sums: one thread for each output, neighbouring threads on
// neighbouring channels. The softmax runs along with the keys: when a larger score turns up, the sums are rescaled.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

__global__ void triangle_attention_kernel(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                                          const float* mask, __nv_bfloat16* out, size_t outputs, int H, int S, int D) {
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= outputs) return;
    int d = (int)(at % D);
    int i = (int)(at / D % S);
    size_t head = at / D / S;
    const __nv_bfloat16* keys = k + head * S * D + d;
    const __nv_bfloat16* values = v + head * S * D + d;
    const float* excluded = mask + (head / H * S + i) * S;
    float query = __bfloat162float(q[at]) / sqrtf((float)D);
    float highest = -INFINITY, total = 0.0f, sum = 0.0f;
    for (int j = 0; j <= i; ++j) {
        if (excluded[j] > 0.5f) continue;
        float score = query * __bfloat162float(keys[(size_t)j * D]);
        if (score > highest) {
            float keep = expf(highest - score);
            total *= keep;
            sum *= keep;
            highest = score;
        }
        float weight = expf(score - highest);
        total += weight;
        sum += weight * __bfloat162float(values[(size_t)j * D]);
    }
    out[at] = __float2bfloat16(total == 0.0f ? 0.0f : sum / total);
}

extern "C" void triangle_attention_bf16(const __nv_bfloat16* q, const __nv_bfloat16* k, const __nv_bfloat16* v,
                                        const float* mask, __nv_bfloat16* out, int B, int H, int S, int D,
                                        cudaStream_t stream) {
    size_t outputs = (size_t)B * H * S * D;
    int block = 256;
    triangle_attention_kernel<<<(outputs + block - 1) / block, block, 0, stream>>>(q, k, v, mask, out, outputs, H, S,
                                                                                   D);
}
