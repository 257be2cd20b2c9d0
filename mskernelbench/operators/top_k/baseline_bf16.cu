// The k largest BF16 values, one after another: for each the largest value that is left is found, then the first place
// where it stands. Values are compared as whole numbers in the same order, which `values` holds until the end.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <limits.h>

constexpr int THREADS = 256;
constexpr int MOST_BLOCKS = 4096;

// Larger for larger numbers, equal for zeros of both signs, and never 0.
__device__ unsigned key(__nv_bfloat16 x) {
    unsigned bits = __float_as_uint(__bfloat162float(x) + 0.0f) >> 16;
    return bits >> 15 ? ~bits & 0xffffu : bits | 0x8000u;
}

// The bits of the value that has this key.
__device__ unsigned short value(unsigned short key) { return key >> 15 ? key & 0x7fff : ~key; }

__device__ void raise(unsigned short* place, unsigned short key) {
    unsigned short seen = 0;
    while (seen < key) {
        unsigned short before = atomicCAS(place, seen, key);
        if (before == seen) return;
        seen = before;
    }
}

// Whether the value at i comes after the rank-th of the result.
__device__ bool is_left(unsigned key, int i, const unsigned short* keys, const int* indices, int rank) {
    return rank == 0 || key < keys[rank - 1] || (key == keys[rank - 1] && i > indices[rank - 1]);
}

__global__ void start(unsigned short* keys, int* indices, int k) {
    int rank = blockIdx.x * blockDim.x + threadIdx.x;
    if (rank >= k) return;
    keys[rank] = 0;
    indices[rank] = INT_MAX;
}

__global__ void find_value(unsigned short* keys, const int* indices, const __nv_bfloat16* input, int N, int rank) {
    __shared__ unsigned part[THREADS];
    unsigned best = 0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < N; i += (size_t)gridDim.x * THREADS) {
        unsigned mine = key(input[i]);
        if (mine > best && is_left(mine, i, keys, indices, rank)) best = mine;
    }
    part[threadIdx.x] = best;
    __syncthreads();
    for (int width = THREADS / 2; width > 0; width /= 2) {
        if (threadIdx.x < width) part[threadIdx.x] = max(part[threadIdx.x], part[threadIdx.x + width]);
        __syncthreads();
    }
    if (threadIdx.x == 0) raise(&keys[rank], part[0]);
}

__global__ void find_index(const unsigned short* keys, int* indices, const __nv_bfloat16* input, int N, int rank) {
    __shared__ int part[THREADS];
    int first = INT_MAX;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < N; i += (size_t)gridDim.x * THREADS) {
        unsigned mine = key(input[i]);
        if (mine == keys[rank] && first == INT_MAX && is_left(mine, i, keys, indices, rank)) first = i;
    }
    part[threadIdx.x] = first;
    __syncthreads();
    for (int width = THREADS / 2; width > 0; width /= 2) {
        if (threadIdx.x < width) part[threadIdx.x] = min(part[threadIdx.x], part[threadIdx.x + width]);
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicMin(&indices[rank], part[0]);
}

__global__ void finish(unsigned short* keys, int k) {
    int rank = blockIdx.x * blockDim.x + threadIdx.x;
    if (rank < k) keys[rank] = value(keys[rank]);
}

extern "C" void top_k_bf16(__nv_bfloat16* values, int* indices, const __nv_bfloat16* input, const int N, const int k,
                           cudaStream_t stream) {
    unsigned short* keys = reinterpret_cast<unsigned short*>(values);
    int blocks = min((N - 1) / THREADS + 1, MOST_BLOCKS);
    int result_blocks = (k - 1) / THREADS + 1;
    start<<<result_blocks, THREADS, 0, stream>>>(keys, indices, k);
    for (int rank = 0; rank < k; ++rank) {
        find_value<<<blocks, THREADS, 0, stream>>>(keys, indices, input, N, rank);
        find_index<<<blocks, THREADS, 0, stream>>>(keys, indices, input, N, rank);
    }
    finish<<<result_blocks, THREADS, 0, stream>>>(keys, k);
}
