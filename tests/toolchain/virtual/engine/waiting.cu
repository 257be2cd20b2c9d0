// Blocks that wait for others of their launch, or do not.

__device__ float worked(float v, int steps)
{
#pragma unroll 1
    for (int i = 0; i < steps; i++)
        v = v * 1.5f + 1;
    return v;
}

__device__ void wait_until(volatile int *flag, int wanted)
{
    if (threadIdx.x == 0)
        while (*flag != wanted)
            ;
    __threadfence();
    __syncthreads();
}

__device__ void tell(volatile int *flag, int value)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        *flag = value;
}

// Each block begins when the `apart`-th one before it, or after it, has ended: `apart` chains.
__global__ void in_chains(int *flags, float *y, int apart, int backwards, int steps)
{
    int place = backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    if (place >= apart)
        wait_until(flags + place - apart, 1);
    y[blockIdx.x] = worked(threadIdx.x, steps);
    tell(flags + place, 1);
}

// Of all blocks, those from `first` to `last` wait for the one before them.
__global__ void in_chains_from(int *flags, float *y, int first, int last, int steps)
{
    if (blockIdx.x > first && blockIdx.x < last)
        wait_until(flags + blockIdx.x - 1, 1);
    y[blockIdx.x] = worked(threadIdx.x, steps);
    tell(flags + blockIdx.x, 1);
}

// As the chain, of a single warp whose code has no loop but that which polls.
__global__ void straight(int *flags, float *y)
{
    while (blockIdx.x && !((volatile int *)flags)[blockIdx.x - 1])
        ;
    float v = y[blockIdx.x];
#pragma unroll
    for (int i = 0; i < 400; i++)
        v = v * 1.5f + i;
    y[blockIdx.x] = v;
    __threadfence();
    flags[blockIdx.x] = 1;
}

// One block at a time has a lock.
__global__ void with_a_lock(int *lock, float *y, int steps)
{
    if (threadIdx.x == 0)
        while (atomicCAS(lock, 0, 1))
            ;
    __syncthreads();
    y[blockIdx.x] = worked(threadIdx.x, steps);
    __syncthreads();
    __threadfence();
    if (threadIdx.x == 0)
        atomicExch(lock, 0);
}

// Stages of `across` blocks each: each stage waits for all of the one before it.
__global__ void in_stages(int *done, float *y, int across, int steps)
{
    int stage = blockIdx.x / across;
    if (stage)
        wait_until(done + stage - 1, across);
    y[blockIdx.x] = worked(threadIdx.x, steps);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(done + stage, 1);
}

// All blocks meet `rounds` times; each works between all meetings, or, in lock-step, in one of them.
__global__ void meeting(int *arrived, float *y, int rounds, int in_turn, int steps)
{
    float v = threadIdx.x;
    for (int round = 0; round < rounds; round++) {
        if (!in_turn || round % gridDim.x == blockIdx.x)
            v = worked(v, steps);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(arrived, 1);
            while (*(volatile int *)arrived < (round + 1) * (int)gridDim.x)
                ;
        }
        __syncthreads();
    }
    y[blockIdx.x] = v;
}

// A scan's blocks publish their own sums, then add up those of up to 32 before them at a time.
__global__ void looking_back(int *known, float *sums, float *y, int steps)
{
    int block = blockIdx.x, lane = threadIdx.x % 32;
    float v = worked(threadIdx.x, steps);
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[2 * block] = 1;
        __threadfence();
        ((volatile int *)known)[block] = 1;
    }
    float before = 0;
    if (threadIdx.x < 32)
        for (int last = block - 1; last >= 0; last -= 32) {
            int state = 2;
            if (last - lane >= 0)
                do
                    state = ((volatile int *)known)[last - lane];
                while (!state);
            __threadfence();
            unsigned all = __ballot_sync(~0u, state == 2);
            int most = all ? __ffs(all) - 1 : 31;
            float own = lane <= most && last - lane >= 0 ? ((volatile float *)sums)[2 * (last - lane) + state - 1] : 0;
            for (int i = 16; i; i /= 2)
                own += __shfl_xor_sync(~0u, own, i);
            before += own;
            if (all)
                break;
        }
    if (threadIdx.x == 0) {
        sums[2 * block + 1] = before + 1;
        __threadfence();
        ((volatile int *)known)[block] = 2;
    }
    y[block] = worked(v + before, steps);
}

// As often as there are tasks, each block takes one.
__global__ void from_a_queue(int *ticket, float *y, int tasks, int steps)
{
    __shared__ int mine;
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            mine = atomicAdd(ticket, 1);
        __syncthreads();
        if (mine >= tasks)
            return;
        y[mine] = worked(threadIdx.x, steps);
    }
}
