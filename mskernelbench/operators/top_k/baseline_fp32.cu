// The k largest values, one after another: for each the largest value that is left is found, then the first place where
// it stands. Values are compared as whole numbers in the same order, which `values` holds until the end.
#include <cuda_runtime.h>
#include <limits.h>

constexpr int THREADS = 256;
constexpr int MOST_BLOCKS = 4096;

// Larger for larger numbers, equal for zeros of both signs, and never 0.
__device__ unsigned key(float x) {
    unsigned bits = __float_as_uint(x + 0.0f);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

// The bits of the value that has this key.
__device__ unsigned value(unsigned key) { return key >> 31 ? key & 0x7fffffffu : ~key; }

// Whether the value at i comes after the rank-th of the result.
__device__ bool is_left(unsigned key, int i, const unsigned* keys, const int* indices, int rank) {
    return rank == 0 || key < keys[rank - 1] || (key == keys[rank - 1] && i > indices[rank - 1]);
}

__global__ void start(unsigned* keys, int* indices, int k) {
    int rank = blockIdx.x * blockDim.x + threadIdx.x;
    if (rank >= k) return;
    keys[rank] = 0;
    indices[rank] = INT_MAX;
}

__global__ void find_value(unsigned* keys, const int* indices, const float* input, int N, int rank) {
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
    if (threadIdx.x == 0) atomicMax(&keys[rank], part[0]);
}

__global__ void find_index(const unsigned* keys, int* indices, const float* input, int N, int rank) {
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

__global__ void finish(unsigned* keys, int k) {
    int rank = blockIdx.x * blockDim.x + threadIdx.x;
    if (rank < k) keys[rank] = value(keys[rank]);
}

extern "C" void top_k(float* values, int* indices, const float* input, const int N, const int k, cudaStream_t stream) {
    unsigned* keys = reinterpret_cast<unsigned*>(values);
    int blocks = min((N - 1) / THREADS + 1, MOST_BLOCKS);
    int result_blocks = (k - 1) / THREADS + 1;
    start<<<result_blocks, THREADS, 0, stream>>>(keys, indices, k);
    for (int rank = 0; rank < k; ++rank) {
        find_value<<<blocks, THREADS, 0, stream>>>(keys, indices, input, N, rank);
        find_index<<<blocks, THREADS, 0, stream>>>(keys, indices, input, N, rank);
    }
    finish<<<result_blocks, THREADS, 0, stream>>>(keys, k);
}
