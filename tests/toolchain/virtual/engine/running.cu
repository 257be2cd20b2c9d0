#include <cooperative_groups.h>

__global__ void meets_again(const int *x, int *y)
{
    int i = threadIdx.x, v = x[i];
    for (int k = 0; k < i % 7; k++) {
        if (v & 1)
            v = 3 * v + 1;
        else
            v = v / 2;
    }
    switch (v % 5) {
    case 0: v += 10; break;
    case 1: v -= 3; break;
    case 2: return;
    default: v *= 2;
    }
    y[i] = v;
}

__global__ void exits_partly(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    y[i] = x[i] + 1;
}

__global__ void reverses(const int *x, int *y)
{
    extern __shared__ int s[];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__device__ int lock_word;

__global__ void locks(int *count)
{
    while (atomicCAS(&lock_word, 0, 1) != 0)
        ;
    *(volatile int *)count += 1;
    __threadfence();
    atomicExch(&lock_word, 0);
}

__global__ void passes_on(volatile int *turn, int *order)
{
    if (threadIdx.x == 0) {
        while (*turn != gridDim.x - 1 - blockIdx.x)
            ;
        order[*turn] = blockIdx.x;
        __threadfence();
        *turn = *turn + 1;
    }
}

__global__ void grid_phases(int *x)
{
    auto grid = cooperative_groups::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    for (int phase = 0; phase < 3; phase++) {
        int other = x[(i + 1) % n];
        grid.sync();
        x[i] = x[i] + other;
        grid.sync();
    }
}

__global__ void named_barriers(int *y)
{
    __shared__ int s[2];
    int half = threadIdx.x / 64;
    if (threadIdx.x % 64 == 0)
        s[half] = half + 5;
    if (half == 0)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    y[threadIdx.x] = s[half];
}

__global__ void produces(int *y)
{
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = threadIdx.x * 3;
        asm volatile("bar.arrive 3, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 3, 64;" ::: "memory");
        y[threadIdx.x - 32] = s[threadIdx.x - 32];
    }
}

__global__ void joins_its_cluster(int *y)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    y[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void votes(int *y)
{
    int i = threadIdx.x;
    int count = __syncthreads_count(i % 3 == 0);
    int all = __syncthreads_and(i < 96), any = __syncthreads_or(i == 95);
    y[i] = count + 1000 * all + 2000 * any;
}

__device__ __noinline__ int twice(int x)
{
    return x > 10 ? 2 * x : x;
}

__device__ __noinline__ int square(int x)
{
    return x * x;
}

typedef int (*function)(int);
__device__ function table[2] = {twice, square};

__global__ void calls(int *y)
{
    int local[8], i = threadIdx.x;
    for (int k = 0; k < 8; k++)
        local[k] = twice(i + k);
    y[i] = local[i % 8] + table[i % 2](i);
}

__constant__ int weights[4] = {1, 10, 100, 1000};
__device__ int total = 7;

__global__ void uses_variables(int *y)
{
    y[threadIdx.x] = weights[threadIdx.x % 4];
    if (threadIdx.x == 0)
        total += 1;
}

__global__ void reads_uninitialised(float *y)
{
    __shared__ float s[64];
    if (threadIdx.x > 64)
        s[threadIdx.x % 64] = 1;
    y[threadIdx.x] = s[threadIdx.x];
}

__global__ void spaces(const float *x, float *y)
{
    __shared__ float s[64];
    float mine[3] = {1, 2, 3};
    s[threadIdx.x] = 4;
    __syncthreads();
    float *choice[3] = {mine + threadIdx.x % 3, s + threadIdx.x, (float *)x + threadIdx.x};
    float *p = choice[threadIdx.x / 2 % 3];
    y[threadIdx.x] = *p;
}
