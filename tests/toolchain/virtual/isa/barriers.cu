// Barriers in shared memory, and copies that complete on them, by inline PTX.
#include <cstdint>

__device__ uint32_t shared_address(const void *pointer) { return (uint32_t)__cvta_generic_to_shared(pointer); }

__device__ void init(uint64_t *barrier, uint32_t count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

__device__ uint64_t arrive(uint64_t *barrier) {
    uint64_t token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(barrier)) : "memory");
    return token;
}

__device__ bool is_over(uint64_t *barrier, uint32_t parity) {
    uint32_t over;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    return over;
}

__device__ bool is_over_since(uint64_t *barrier, uint64_t token) {
    uint32_t over;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over) : "r"(shared_address(barrier)), "l"(token) : "memory");
    return over;
}

// Four phases of 96 threads: each adds its left neighbour's number, so every phase must be whole.
extern "C" __global__ void phases(int *out) {
    __shared__ int held[2][96];
    __shared__ uint64_t barrier;
    int thread = threadIdx.x;
    if (thread == 0) init(&barrier, 96);
    held[0][thread] = thread;
    __syncthreads();
    for (int phase = 0; phase < 4; phase++) {
        held[1 - phase % 2][thread] = held[phase % 2][thread] + held[phase % 2][(thread + 95) % 96];
        uint64_t token = arrive(&barrier);
        if (phase % 2) while (!is_over(&barrier, phase % 2));
        else while (!is_over_since(&barrier, token));
    }
    out[thread] = held[0][thread];
}

// One thread of another warp leaves for good: the later phases expect one arrival less.
extern "C" __global__ void drop(int *out) {
    __shared__ uint64_t barrier;
    int thread = threadIdx.x;
    if (thread == 0) init(&barrier, 33);
    __syncthreads();
    uint64_t token;
    if (thread == 32) asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(&barrier)));
    else if (thread < 32) {
        arrive(&barrier);
        while (!is_over(&barrier, 0));
        out[thread] = is_over(&barrier, 1);
        __syncwarp();
        token = arrive(&barrier);
        while (!is_over_since(&barrier, token));
        out[32 + thread] = is_over(&barrier, 1);
    }
}

// The one that leaves for good announces bytes: the phase ends when they have come.
extern "C" __global__ void drop_with_bytes(int *out) {
    __shared__ uint64_t barrier;
    int thread = threadIdx.x;
    uint32_t place = shared_address(&barrier);
    if (thread == 0) init(&barrier, 33);
    __syncthreads();
    if (thread == 32) asm volatile("{ .reg .b64 t; mbarrier.arrive_drop.expect_tx.shared::cta.b64 t, [%0], 16; }" ::"r"(place));
    else if (thread < 32) arrive(&barrier);
    __syncthreads();
    if (thread < 32) out[thread] = is_over(&barrier, 0);
    __syncthreads();
    if (thread == 0) asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(place));
    __syncthreads();
    if (thread < 32) {
        out[32 + thread] = is_over(&barrier, 0);
        __syncwarp();
        arrive(&barrier);
        __syncwarp();
        out[64 + thread] = is_over(&barrier, 1);
    }
}

// Each thread's copy is announced to a barrier that the other warp waits for; WAITS: whether it does.
extern "C" __global__ void announced(const float *from, float *to, int waits) {
    __shared__ float held[64];
    __shared__ uint64_t barrier;
    int thread = threadIdx.x;
    if (thread == 0) init(&barrier, 64);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&held[thread])), "l"(from + thread));
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&barrier)));
    if (waits) while (!is_over(&barrier, 0));
    __syncthreads();
    to[thread] = held[63 - thread];
}

// A row comes in by one bulk copy, is doubled, and goes out by another.
extern "C" __global__ void rows(const float *from, float *to, int bytes) {
    __shared__ __align__(128) float held[256];
    __shared__ uint64_t barrier;
    int thread = threadIdx.x;
    if (thread == 0) init(&barrier, 1);
    __syncthreads();
    if (thread == 0) {
        uint64_t token;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(token) : "r"(shared_address(&barrier)), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(shared_address(held)), "l"(from + 256 * blockIdx.x), "r"(bytes), "r"(shared_address(&barrier)) : "memory");
    }
    while (!is_over(&barrier, 0));
    for (int i = thread; i < 256; i += blockDim.x) held[i] *= 2;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (thread == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                     ::"l"(to + 256 * blockIdx.x), "r"(shared_address(held)), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
