// a cluster adds what its blocks hold in shared memory of each other
// gauntlet: operator=layer_norm precision=fp32
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr int CLUSTER = 8, THREADS = 256;
__device__ float block_sum(float v, float* red) {
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < THREADS / 32 ? red[threadIdx.x] : 0.f;
    if (threadIdx.x < 32) for (int o = 4; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    __syncthreads();
    return v;
}
__global__ void __cluster_dims__(CLUSTER, 1, 1) ln_cluster(float* out, const float* in, const float* w, const float* b, float eps, int N) {
    __shared__ float red[32];
    __shared__ float mine[2];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    float s = 0.f;
    for (int i = rank * THREADS + threadIdx.x; i < N; i += CLUSTER * THREADS) s += in[i];
    s = block_sum(s, red);
    if (threadIdx.x == 0) mine[0] = s;
    cluster.sync();
    float mean = 0.f;
    for (int r = 0; r < CLUSTER; ++r) mean += *cluster.map_shared_rank(&mine[0], r);
    mean /= N;
    float q = 0.f;
    for (int i = rank * THREADS + threadIdx.x; i < N; i += CLUSTER * THREADS) { float d = in[i] - mean; q = fmaf(d, d, q); }
    q = block_sum(q, red);
    if (threadIdx.x == 0) mine[1] = q;
    cluster.sync();
    float var = 0.f;
    for (int r = 0; r < CLUSTER; ++r) var += cluster.map_shared_rank(mine, r)[1];
    float inv = rsqrtf(var / N + eps);
    for (int i = rank * THREADS + threadIdx.x; i < N; i += CLUSTER * THREADS) out[i] = (in[i] - mean) * inv * __ldg(w + i) + __ldg(b + i);
    cluster.sync();
}
extern "C" void layer_norm(float* output, const float* input, const float* weight, const float* bias, const float epsilon, const int N, cudaStream_t stream) {
    ln_cluster<<<CLUSTER, THREADS, 0, stream>>>(output, input, weight, bias, epsilon, N);
}
