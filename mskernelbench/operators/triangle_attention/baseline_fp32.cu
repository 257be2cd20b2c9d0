// Causal attention for every channel by itself: one thread for each output, neighbouring threads on neighbouring
// channels. The softmax runs along with the keys: when a larger score turns up, what was summed is rescaled.
#include <cuda_runtime.h>
#include <math.h>

__global__ void triangle_attention_kernel(const float* q, const float* k, const float* v, const float* mask, float* out,
                                          size_t outputs, int H, int S, int D) {
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= outputs) return;
    int d = (int)(at % D);
    int i = (int)(at / D % S);
    size_t head = at / D / S;
    const float* keys = k + head * S * D + d;
    const float* values = v + head * S * D + d;
    const float* excluded = mask + (head / H * S + i) * S;
    float query = q[at] / sqrtf((float)D);
    float highest = -INFINITY, total = 0.0f, sum = 0.0f;
    for (int j = 0; j <= i; ++j) {
        if (excluded[j] > 0.5f) continue;
        float score = query * keys[(size_t)j * D];
        if (score > highest) {
            float keep = expf(highest - score);
            total *= keep;
            sum *= keep;
            highest = score;
        }
        float weight = expf(score - highest);
        total += weight;
        sum += weight * values[(size_t)j * D];
    }
    out[at] = total == 0.0f ? 0.0f : sum / total;
}

extern "C" void triangle_attention(const float* q, const float* k, const float* v, const float* mask, float* out, int B,
                                   int H, int S, int D, cudaStream_t stream) {
    size_t outputs = (size_t)B * H * S * D;
    int block = 256;
    triangle_attention_kernel<<<(outputs + block - 1) / block, block, 0, stream>>>(q, k, v, mask, out, outputs, H, S,
                                                                                   D);
}
