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
