// Softmax attention in BF16 with FP32 sums: one block for each query. A warp computes each score, the softmax runs
// along with the keys, and the threads share the columns of V. Keys are taken 256 at a time: any kv_len works.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int KEYS = THREADS;    // keys whose scores are kept at once, one for each thread
constexpr int COLUMNS = 4096;    // columns of V that one block sums

__device__ float warp_sum(float x) {
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffffu, x, offset);
    return x;
}

__device__ float warp_max(float x) {
    for (int offset = 16; offset > 0; offset /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, offset));
    return x;
}

__global__ void softmax_attention_kernel(__nv_bfloat16* Y, const __nv_bfloat16* Q, const __nv_bfloat16* K,
                                         const __nv_bfloat16* V, int kv_len, int dim_qk, int dim_v) {
    __shared__ float score[KEYS];
    __shared__ float sum[COLUMNS];
    __shared__ float part[WARPS];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int first = blockIdx.y * COLUMNS;
    int columns = min(COLUMNS, dim_v - first);
    const __nv_bfloat16* q = Q + (size_t)blockIdx.x * dim_qk;
    float scale = 1.0f / sqrtf((float)dim_qk);
    float highest = -INFINITY, total = 0.0f;
    for (int d = threadIdx.x; d < columns; d += THREADS) sum[d] = 0.0f;

    for (int start = 0; start < kv_len; start += KEYS) {
        int keys = min(KEYS, kv_len - start);
        for (int j = warp; j < keys; j += WARPS) {
            const __nv_bfloat16* k = K + (size_t)(start + j) * dim_qk;
            float dot = 0.0f;
            for (int d = lane; d < dim_qk; d += 32) dot += __bfloat162float(q[d]) * __bfloat162float(k[d]);
            dot = warp_sum(dot);
            if (lane == 0) score[j] = dot * scale;
        }
        __syncthreads();
        float mine = threadIdx.x < keys ? score[threadIdx.x] : -INFINITY;
        float warp_highest = warp_max(mine);
        if (lane == 0) part[warp] = warp_highest;
        __syncthreads();
        float before = highest;
        for (int w = 0; w < WARPS; ++w) highest = fmaxf(highest, part[w]);
        float keep = expf(before - highest);
        float weight = threadIdx.x < keys ? expf(mine - highest) : 0.0f;
        score[threadIdx.x] = weight;
        total = total * keep + weight;
        __syncthreads();
        for (int d = threadIdx.x; d < columns; d += THREADS) {
            const __nv_bfloat16* v = V + (size_t)start * dim_v + first + d;
            float y = sum[d] * keep;
            for (int j = 0; j < keys; ++j) y += score[j] * __bfloat162float(v[(size_t)j * dim_v]);
            sum[d] = y;
        }
        __syncthreads();
    }
    total = warp_sum(total);
    if (lane == 0) part[warp] = total;
    __syncthreads();
    total = 0.0f;
    for (int w = 0; w < WARPS; ++w) total += part[w];
    for (int d = threadIdx.x; d < columns; d += THREADS)
        Y[(size_t)blockIdx.x * dim_v + first + d] = __float2bfloat16(sum[d] / total);
}

extern "C" void softmax_attention_bf16(__nv_bfloat16* Y, const __nv_bfloat16* Q, const __nv_bfloat16* K,
                                       const __nv_bfloat16* V, int q_len, int kv_len, int dim_qk, int dim_v,
                                       cudaStream_t stream) {
    dim3 grid(q_len, (dim_v + COLUMNS - 1) / COLUMNS);
    softmax_attention_kernel<<<grid, THREADS, 0, stream>>>(Y, Q, K, V, kv_len, dim_qk, dim_v);
}
