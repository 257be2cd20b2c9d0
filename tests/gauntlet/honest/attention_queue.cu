// Persistent blocks that take groups of four queries of an attention from a queue
// gauntlet: operator=softmax_attention precision=fp32 sets=check,paper
// Softmax attention: one block for each query. A warp computes each score, the softmax runs along with the keys, and
// the threads share the columns of V. Keys are taken 256 at a time, so any kv_len works without scratch memory.
#include <cuda_runtime.h>
#include <math.h>

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int KEYS = THREADS;    // keys whose scores are kept at once, one for each thread
constexpr int Q = 4;
constexpr int COLUMNS = 1024;    // columns of V that one block sums

__device__ float warp_sum(float x) {
    for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffffu, x, offset);
    return x;
}

__device__ float warp_max(float x) {
    for (int offset = 16; offset > 0; offset /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, offset));
    return x;
}


__global__ void __launch_bounds__(256) queued(float* Y, const float* Qm, const float* K, const float* V, unsigned* ticket, int q_len, int kv_len, int dim_qk, int dim_v, int parts) {
    __shared__ float score[Q][KEYS];
    __shared__ float sum[Q][COLUMNS];
    __shared__ float part[Q][WARPS];
    __shared__ unsigned mine_is;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, groups = (q_len + Q - 1) / Q;
    float scale = 1.0f / sqrtf((float)dim_qk);
    for (;;) {
        if (threadIdx.x == 0) mine_is = atomicAdd(ticket, 1u);
        __syncthreads();
        unsigned task = mine_is;
        if (task >= groups * parts) return;
        int first_q = task / parts * Q, first = task % parts * COLUMNS, columns = min(COLUMNS, dim_v - first);
        float highest[Q], total[Q];
        for (int i = 0; i < Q; i++) { highest[i] = -INFINITY; total[i] = 0.0f; }
        for (int d = threadIdx.x; d < columns; d += THREADS)
            for (int i = 0; i < Q; i++) sum[i][d] = 0.0f;
        for (int start = 0; start < kv_len; start += KEYS) {
            int keys = min(KEYS, kv_len - start);
            for (int j = warp; j < keys; j += WARPS) {
                const float* k = K + (size_t)(start + j) * dim_qk;
                float dot[Q] = {};
                for (int d = lane; d < dim_qk; d += 32) {
                    float right = k[d];
                    for (int i = 0; i < Q; i++)
                        if (first_q + i < q_len) dot[i] += Qm[(size_t)(first_q + i) * dim_qk + d] * right;
                }
                for (int i = 0; i < Q; i++) {
                    dot[i] = warp_sum(dot[i]);
                    if (lane == 0) score[i][j] = dot[i] * scale;
                }
            }
            __syncthreads();
            float mine[Q], keep[Q];
            for (int i = 0; i < Q; i++) {
                mine[i] = threadIdx.x < keys ? score[i][threadIdx.x] : -INFINITY;
                float w = warp_max(mine[i]);
                if (lane == 0) part[i][warp] = w;
            }
            __syncthreads();
            for (int i = 0; i < Q; i++) {
                float before = highest[i];
                for (int w = 0; w < WARPS; ++w) highest[i] = fmaxf(highest[i], part[i][w]);
                keep[i] = expf(before - highest[i]);
                float weight = threadIdx.x < keys ? expf(mine[i] - highest[i]) : 0.0f;
                score[i][threadIdx.x] = weight;
                total[i] = total[i] * keep[i] + weight;
            }
            __syncthreads();
            for (int d = threadIdx.x; d < columns; d += THREADS) {
                const float* v = V + (size_t)start * dim_v + first + d;
                float y[Q];
                for (int i = 0; i < Q; i++) y[i] = sum[i][d] * keep[i];
                for (int j = 0; j < keys; ++j) {
                    float right = v[(size_t)j * dim_v];
                    for (int i = 0; i < Q; i++) y[i] += score[i][j] * right;
                }
                for (int i = 0; i < Q; i++) sum[i][d] = y[i];
            }
            __syncthreads();
        }
        for (int i = 0; i < Q; i++) {
            float all = warp_sum(total[i]);
            if (lane == 0) part[i][warp] = all;
        }
        __syncthreads();
        for (int i = 0; i < Q && first_q + i < q_len; i++) {
            float all = 0.0f;
            for (int w = 0; w < WARPS; ++w) all += part[i][w];
            for (int d = threadIdx.x; d < columns; d += THREADS) Y[(size_t)(first_q + i) * dim_v + first + d] = sum[i][d] / all;
        }
        __syncthreads();
    }
}
extern "C" void softmax_attention(float* Y, const float* Qm, const float* K, const float* V, int q_len, int kv_len, int dim_qk, int dim_v, cudaStream_t stream) {
    unsigned* ticket;
    cudaMallocAsync((void**)&ticket, 4, stream);
    cudaMemsetAsync(ticket, 0, 4, stream);
    int parts = (dim_v + COLUMNS - 1) / COLUMNS, tasks = (q_len + Q - 1) / Q * parts;
    queued<<<min(tasks, 132 * 4), THREADS, 0, stream>>>(Y, Qm, K, V, ticket, q_len, kv_len, dim_qk, dim_v, parts);
    cudaFreeAsync(ticket, stream);
}
