// Inclusive scan in BF16 with FP32 sums. Chunks are summed, their sums scanned, and every chunk is then scanned from
// the sum of all before it. Until its turn a chunk of the output keeps that sum, as a float, in its first bytes.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int THREADS = 256;
constexpr int CHUNK = 2048;    // values that one block scans; the last block also takes what is left over
constexpr int GROUP = 1024;    // chunks whose sums one block scans

__device__ float* head(__nv_bfloat16* output, int chunk) {
    return reinterpret_cast<float*>(output + (size_t)chunk * CHUNK);
}

// Sum of `value` over this thread and those before it in the block; `shared` holds all of them afterwards.
__device__ float block_scan(float value, float* shared) {
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
        float before = threadIdx.x >= distance ? shared[threadIdx.x - distance] : 0.0f;
        __syncthreads();
        shared[threadIdx.x] += before;
        __syncthreads();
    }
    return shared[threadIdx.x];
}

// The sum of each chunk but the last, kept by the chunk after it.
__global__ void sum_chunks(__nv_bfloat16* output, const __nv_bfloat16* input) {
    __shared__ float shared[THREADS];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < CHUNK; i += THREADS) sum += __bfloat162float(input[(size_t)blockIdx.x * CHUNK + i]);
    sum = block_scan(sum, shared);
    if (threadIdx.x == THREADS - 1) *head(output, blockIdx.x + 1) = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) *head(output, 0) = 0.0f;
}

// Scans the sums within each group; the next group's first chunk keeps the group's sum beside its own.
__global__ void scan_sums(__nv_bfloat16* output, int chunks) {
    __shared__ float shared[GROUP];
    int chunk = blockIdx.x * GROUP + threadIdx.x;
    float sum = block_scan(chunk < chunks ? *head(output, chunk) : 0.0f, shared);
    if (chunk < chunks) *head(output, chunk) = sum;
    if (threadIdx.x == GROUP - 1 && chunk + 1 < chunks) head(output, chunk + 1)[1] = sum;
    if (chunk == 0) head(output, 0)[1] = 0.0f;
}

// Scans the groups' sums: at most GROUP of them, since N is an int.
__global__ void scan_groups(__nv_bfloat16* output, int groups) {
    __shared__ float shared[GROUP];
    float sum = block_scan(threadIdx.x < groups ? head(output, threadIdx.x * GROUP)[1] : 0.0f, shared);
    if (threadIdx.x < groups) head(output, threadIdx.x * GROUP)[1] = sum;
}

__global__ void add_groups(__nv_bfloat16* output, int chunks) {
    int chunk = blockIdx.x * blockDim.x + threadIdx.x;
    if (chunk < chunks) *head(output, chunk) += head(output, chunk / GROUP * GROUP)[1];
}

// Scans each chunk, THREADS values at a time.
__global__ void scan_chunks(__nv_bfloat16* output, const __nv_bfloat16* input, int chunks, int N) {
    __shared__ float shared[THREADS];
    size_t start = (size_t)blockIdx.x * CHUNK;
    size_t end = blockIdx.x == chunks - 1 ? N : start + CHUNK;
    float before = chunks > 1 ? *head(output, blockIdx.x) : 0.0f;
    __syncthreads();
    for (size_t first = start; first < end; first += THREADS) {
        size_t i = first + threadIdx.x;
        float sum = block_scan(i < end ? __bfloat162float(input[i]) : 0.0f, shared);
        if (i < end) output[i] = __float2bfloat16(before + sum);
        before += shared[THREADS - 1];
        __syncthreads();
    }
}

extern "C" void prefix_sum_bf16(__nv_bfloat16* output, const __nv_bfloat16* input, const int N, cudaStream_t stream) {
    int chunks = max(N / CHUNK, 1);
    int groups = (chunks - 1) / GROUP + 1;
    if (chunks > 1) {
        sum_chunks<<<chunks - 1, THREADS, 0, stream>>>(output, input);
        scan_sums<<<groups, GROUP, 0, stream>>>(output, chunks);
    }
    if (groups > 1) {
        scan_groups<<<1, GROUP, 0, stream>>>(output, groups);
        add_groups<<<(chunks - 1) / THREADS + 1, THREADS, 0, stream>>>(output, chunks);
    }
    scan_chunks<<<chunks, THREADS, 0, stream>>>(output, input, chunks, N);
}
