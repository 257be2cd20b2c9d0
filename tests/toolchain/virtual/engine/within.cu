__device__ unsigned ticket;

/* One warp of the busy block does ten times as much as each of the others. */
__global__ void unequal(float *y, int busy)
{
    int steps = blockIdx.x == busy ? (threadIdx.x < 32 ? 1000 : 100) : 1;
    float v = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < steps; i++)
        v = v * 1.5f + 1;
    y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

/* Only the busy block reads x. */
__global__ void reads_in_one_block(const float *x, float *y, int busy, int steps)
{
    float sum = 0;
    if (blockIdx.x == busy)
#pragma unroll 1
        for (int i = 0; i < steps; i++)
            sum += x[i * blockDim.x + threadIdx.x];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* What the clock says of a loop of loads. */
__global__ void measures(const float *x, float *y, int *ticks)
{
    long long begun = clock64();
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < 100; i++)
        sum += x[(i * 37 + threadIdx.x) % 64];
    y[threadIdx.x] = sum;
    long long ended = clock64();
    if (threadIdx.x % 32 == 0)
        ticks[blockIdx.x] = ended - begun;
}

/* How many blocks ended before this one began. */
__global__ void looks_around(int *ended, int *seen)
{
    if (threadIdx.x == 0) {
        int count = 0;
        for (int i = 0; i < gridDim.x; i++)
            count += ended[i];
        seen[blockIdx.x] = count;
        ended[blockIdx.x] = 1;
    }
}

/* Blocks take work from one queue. */
__global__ void queues(int *done, int *by, int tasks)
{
    __shared__ unsigned mine;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            mine = atomicAdd(&ticket, 1);
        __syncthreads();
        if (mine >= tasks)
            return;
        float v = threadIdx.x;
#pragma unroll 1
        for (int i = 0; i < 50; i++)
            v = v * 1.5f + 1;
        atomicAdd(done + mine, v > 0);
        if (threadIdx.x == 0)
            atomicAdd(by + blockIdx.x, 1);
    }
}

/* Which warp of a block is first to get through a loop while another still is in it. */
__global__ void tells_turns(int *y)
{
    __shared__ volatile int other;
    if (threadIdx.x == 0)
        other = 0;
    __syncthreads();
    if (threadIdx.x == 32)
        other = 1;
    if (threadIdx.x < 32) {
        int v = threadIdx.x;
#pragma unroll 1
        for (int i = 0; i < 12; i++)
            asm volatile("mad.lo.s32 %0, %0, 5, 1;" : "+r"(v));
        if (threadIdx.x == 0)
            y[blockIdx.x] = 1 + other + (v == 0x12345);
    }
}
