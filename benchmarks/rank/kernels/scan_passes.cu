// Sums of all elements before each: scan blocks, then add offsets (4 n moved), or sum blocks first (3 n moved).
#include <cuda_runtime.h>

constexpr int THREADS = 256, EACH = 8, TILE = THREADS * EACH, BLOCKS = 1 << 15;
__device__ float totals[BLOCKS];

__device__ float scan_block(float value, float* all) {
    __shared__ float sums[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 1; step < 32; step *= 2) {
        float before = __shfl_up_sync(~0u, value, step);
        if (lane >= step) value += before;
    }
    __syncthreads();
    if (lane == 31) sums[warp] = value;
    __syncthreads();
    float before = 0, sum = 0;
    for (int i = 0; i < THREADS / 32; ++i) {
        if (i == warp) before = sum;
        sum += sums[i];
    }
    *all = sum;
    return value + before;
}

__device__ void load(const float* in, float4* own) {
    const float4* from = reinterpret_cast<const float4*>(in + (size_t)blockIdx.x * TILE);
    for (int i = 0; i < 2; ++i) own[i] = from[threadIdx.x * 2 + i];
}

__global__ void sum_tiles(const float* in) {
    float4 own[2];
    load(in, own);
    float all, sum = own[0].x + own[0].y + own[0].z + own[0].w + own[1].x + own[1].y + own[1].z + own[1].w;
    scan_block(sum, &all);
    if (threadIdx.x == 0) totals[blockIdx.x] = all;
}

__global__ void scan_totals(int tiles) {
    float carried = 0;
    for (int first = 0; first < tiles; first += THREADS) {
        int i = first + threadIdx.x;
        float all, own = i < tiles ? totals[i] : 0, scanned = scan_block(own, &all);
        if (i < tiles) totals[i] = carried + scanned - own;
        carried += all;
    }
}

template <bool OFFSET>
__global__ void scan_tiles(const float* in, float* out) {
    float4 own[2];
    load(in, own);
    float* value = reinterpret_cast<float*>(own);
    for (int i = 1; i < EACH; ++i) value[i] += value[i - 1];
    float all, before = scan_block(value[EACH - 1], &all) - value[EACH - 1];
    if (OFFSET) before += totals[blockIdx.x];
    else if (threadIdx.x == 0) totals[blockIdx.x] = all;
    for (int i = 0; i < EACH; ++i) value[i] += before;
    float4* to = reinterpret_cast<float4*>(out + (size_t)blockIdx.x * TILE);
    for (int i = 0; i < 2; ++i) to[threadIdx.x * 2 + i] = own[i];
}

__global__ void add_offsets(float* out) {
    float4* own = reinterpret_cast<float4*>(out + (size_t)blockIdx.x * TILE);
    float add = totals[blockIdx.x];
    for (int i = threadIdx.x; i < TILE / 4; i += THREADS) {
        float4 v = own[i];
        own[i] = make_float4(v.x + add, v.y + add, v.z + add, v.w + add);
    }
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    scan_tiles<false><<<n / TILE, THREADS, 0, stream>>>(in, out);
    scan_totals<<<1, THREADS, 0, stream>>>(n / TILE);
    add_offsets<<<n / TILE, THREADS, 0, stream>>>(out);
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    sum_tiles<<<n / TILE, THREADS, 0, stream>>>(in);
    scan_totals<<<1, THREADS, 0, stream>>>(n / TILE);
    scan_tiles<true><<<n / TILE, THREADS, 0, stream>>>(in, out);
}
