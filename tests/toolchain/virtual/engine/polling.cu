// A warp that polls while another one works for long: for its own block, or for another.
#include <cstdint>

__device__ int worked(int steps)
{
    int v = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < steps; i++)
        asm volatile("mad.lo.s32 %0, %0, 5, 1;" : "+r"(v));
    return v;
}

__global__ void at_a_barrier(int *y, int steps)
{
    __shared__ uint64_t barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place));
    __syncthreads();
    if (threadIdx.x == 32) {
        y[blockIdx.x] = worked(steps) & 1;
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place));
    }
    int over = 0;
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(over) : "r"(place) : "memory");
}

__global__ void at_a_shared_flag(int *y, int steps)
{
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        y[blockIdx.x] = worked(steps) & 1;
        flag = 1;
    }
    while (!flag)
        __nanosleep(20);
}

// Block 0 raises the flag that all wait for.
__global__ void at_a_flag(int *y, int steps, volatile int *flag)
{
    if (threadIdx.x == 32 && blockIdx.x == 0) {
        y[blockIdx.x] = worked(steps) & 1;
        *flag = 1;
    }
    while (!*flag)
        __nanosleep(20);
}

// Each block waits until as many have arrived as there are, or for the one before it alone.
__global__ void at_each_other(int *arrived, int in_order)
{
    int wanted = in_order ? blockIdx.x : gridDim.x;
    if (!in_order)
        atomicAdd(arrived, 1);
    while (*(volatile int *)arrived < wanted)
        __nanosleep(20);
    if (in_order)
        atomicAdd(arrived, 1);
}
