// one pass: a block takes the next chunk by a ticket and adds up what the chunks before it have published, waiting where it must
// gauntlet: operator=prefix_sum precision=fp32 sets=check,real
#include <cuda_runtime.h>

constexpr int THREADS = 256, EACH = 8, CHUNK = THREADS * EACH;
constexpr int NOTHING = 0, OWN = 1, ALL = 2;  // what a chunk has published

struct Chunk {
    volatile int known;
    volatile float own, all;
};

__global__ void __launch_bounds__(THREADS) scan(const float* input, float* output, Chunk* chunks, unsigned* ticket, int n) {
    __shared__ float sums[THREADS];
    __shared__ float before;
    __shared__ unsigned mine;
    if (threadIdx.x == 0) mine = atomicAdd(ticket, 1u);
    __syncthreads();
    size_t first = (size_t)mine * CHUNK + threadIdx.x * EACH;
    float values[EACH], sum = 0.0f;
    for (int i = 0; i < EACH; i++) values[i] = sum += first + i < n ? input[first + i] : 0.0f;
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int distance = 1; distance < THREADS; distance *= 2) {
        float earlier = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0.0f;
        __syncthreads();
        sums[threadIdx.x] += earlier;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        float own = sums[THREADS - 1], all = 0.0f;
        chunks[mine].own = own;
        __threadfence();
        chunks[mine].known = OWN;
        for (int other = (int)mine - 1; other >= 0; other--) {
            int known;
            do known = chunks[other].known;
            while (known == NOTHING);
            __threadfence();
            all += known == ALL ? chunks[other].all : chunks[other].own;
            if (known == ALL) break;
        }
        chunks[mine].all = all + own;
        __threadfence();
        chunks[mine].known = ALL;
        before = all;
    }
    __syncthreads();
    float start = before + (threadIdx.x ? sums[threadIdx.x - 1] : 0.0f);
    for (int i = 0; i < EACH; i++)
        if (first + i < n) output[first + i] = start + values[i];
}

extern "C" void prefix_sum(float* output, const float* input, int N, cudaStream_t stream) {
    int blocks = (N + CHUNK - 1) / CHUNK;
    Chunk* chunks;
    unsigned* ticket;
    cudaMallocAsync((void**)&chunks, blocks * sizeof(Chunk), stream);
    cudaMallocAsync((void**)&ticket, sizeof(unsigned), stream);
    cudaMemsetAsync(chunks, 0, blocks * sizeof(Chunk), stream);
    cudaMemsetAsync(ticket, 0, sizeof(unsigned), stream);
    scan<<<blocks, THREADS, 0, stream>>>(input, output, chunks, ticket, N);
    cudaFreeAsync(ticket, stream);
    cudaFreeAsync(chunks, stream);
}
