/* A chain of dependent steps, in a loop of its own. */
__device__ __noinline__ float walk(float v, int steps)
{
#pragma unroll 1
    for (int i = 0; i < steps; i++)
        v = v * 1.5f + 1;
    return v;
}

__global__ void in_turns(float *y, int steps)
{
    float v = threadIdx.x;
#pragma unroll 1
    for (unsigned turn = 0; turn < blockDim.x / 32; turn++) {
        if (threadIdx.x / 32 == turn)
            v = walk(v, steps);
        __syncthreads();
    }
    y[threadIdx.x] = v;
}

__global__ void side_by_side(float *y, int steps)
{
    float v = walk(threadIdx.x, steps);
    __syncthreads();
    y[threadIdx.x] = v;
}

/* Warp w walks w + 1 times as far before the barrier, and as many times less far behind it. */
__global__ void long_then_short(float *y, int steps)
{
    int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    float v = walk(threadIdx.x, (warp + 1) * steps);
    __syncthreads();
    y[threadIdx.x] = walk(v, (warps - warp) * steps);
}

/* Warps 0 and 1 meet at one barrier, warps 2 and 3 at another: of each pair, one walks before it and one behind it. */
__global__ void in_pairs(float *y, int steps)
{
    int warp = threadIdx.x / 32, pair = warp / 2;
    float v = threadIdx.x;
    if (warp % 2 == 0)
        v = walk(v, steps << pair);
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1));
    if (warp % 2)
        v = walk(v, steps << pair);
    y[threadIdx.x] = v;
}

/* Warp 0 walks, arrives and walks on; warp 1 waits for that, and walks. */
__global__ void handed_on(float *y, int steps)
{
    float v = walk(threadIdx.x, threadIdx.x < 32 ? steps : 0);
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 1, 64;");
        v = walk(v, 2 * steps);
    } else {
        asm volatile("bar.sync 1, 64;");
        v = walk(v, 3 * steps);
    }
    y[threadIdx.x] = v;
}

/* All but the last warp walk and end; it waits for them, and walks. */
__global__ void after_the_others(float *y, int steps)
{
    float v = threadIdx.x;
    if (threadIdx.x < blockDim.x - 32) {
        y[threadIdx.x] = walk(v, steps);
        return;
    }
    __syncthreads();
    y[threadIdx.x] = walk(v, steps);
}

__device__ unsigned shared_place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void begin_barrier(unsigned long long *barrier, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_place(barrier)), "r"(count) : "memory");
}

__device__ void arrive_at(unsigned long long *barrier)
{
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(shared_place(barrier)) : "memory");
}

__device__ void wait_at(unsigned long long *barrier, int parity)
{
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                 "@p bra over;\n"
                 "bra again;\n"
                 "over: }" ::"r"(shared_place(barrier)), "r"(parity) : "memory");
}

/* Each warp waits at an mbarrier for the one before it, walks, and arrives at the next one's. */
__global__ void handed_from_warp_to_warp(float *y, int steps)
{
    __shared__ unsigned long long turn[32];
    int warp = threadIdx.x / 32;
    if (threadIdx.x < blockDim.x / 32)
        begin_barrier(turn + threadIdx.x, 32);
    __syncthreads();
    if (warp)
        wait_at(turn + warp, 0);
    y[threadIdx.x] = walk(threadIdx.x, steps);
    if (warp + 1 < blockDim.x / 32)
        arrive_at(turn + warp + 1);
}

/* All warps walk, warp w as far as (w + 1) / 2 times, and meet at an mbarrier; then each walks once as far. */
__global__ void together_at_an_mbarrier(float *y, int steps)
{
    __shared__ unsigned long long all;
    int warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        begin_barrier(&all, blockDim.x);
    __syncthreads();
    float v = walk(threadIdx.x, (warp + 1) * steps / 2);
    arrive_at(&all);
    wait_at(&all, 0);
    y[threadIdx.x] = walk(v, steps);
}

/* Warp 0 makes 8 tiles in two buffers, walking `steps` for each, warp 1 uses them, walking `use` for each. */
__global__ void through_two_buffers(float *y, int steps, int use)
{
    __shared__ unsigned long long full[2], empty[2];
    __shared__ float tile[2][32];
    if (threadIdx.x < 2) {
        begin_barrier(full + threadIdx.x, 32);
        begin_barrier(empty + threadIdx.x, 32);
    }
    __syncthreads();
    int lane = threadIdx.x % 32;
    float v = 0;
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        int buffer = i & 1, phase = i >> 1 & 1;
        if (threadIdx.x < 32) {
            wait_at(empty + buffer, phase ^ 1);
            tile[buffer][lane] = walk(i, steps);
            arrive_at(full + buffer);
        } else {
            wait_at(full + buffer, phase);
            v = walk(v + tile[buffer][lane], use);
            arrive_at(empty + buffer);
        }
    }
    y[threadIdx.x] = v;
}
