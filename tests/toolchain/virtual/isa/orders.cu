// Kernels whose threads wait for each other: right in whatever order blocks and warps take their turns.
#include <cooperative_groups.h>

__device__ int ticket_next, ticket_served;

// Every thread in turn, by a ticket; lanes of a warp wait for each other.
extern "C" __global__ void tickets(int *order, int *count)
{
    int mine = atomicAdd(&ticket_next, 1);
    bool done = false;
    while (!done) {
        if (atomicAdd(&ticket_served, 0) == mine) {
            order[mine] = *(volatile int *)count;
            *(volatile int *)count = order[mine] + 1;
            __threadfence();
            atomicExch(&ticket_served, mine + 1);
            done = true;
        }
    }
}

// A scan in one pass: each block adds what the blocks before it have published.
extern "C" __global__ void look_back(const int *x, int *y, volatile long long *status)
{
    __shared__ int held[64];
    __shared__ int before;
    int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x;
    held[lane] = x[i];
    __syncthreads();
    for (int step = 1; step < 64; step *= 2) {
        int other = lane >= step ? held[lane - step] : 0;
        __syncthreads();
        held[lane] += other;
        __syncthreads();
    }
    if (lane == 0) {
        int sum = held[63], total = 0;
        status[blockIdx.x] = (1ll << 32) | (unsigned)sum;
        __threadfence();
        for (int block = (int)blockIdx.x - 1; block >= 0; block--) {
            long long word;
            while ((word = status[block]) == 0)
                ;
            total += (int)word;
            if (word >> 32 == 2)
                break;
        }
        status[blockIdx.x] = (2ll << 32) | (unsigned)(sum + total);
        before = total;
    }
    __syncthreads();
    y[i] = held[lane] + before;
}

// Two producing and two consuming warps, a ring of three slots, a pair of named barriers for each slot.
extern "C" __global__ void ring(const int *x, int *y, int rounds)
{
    __shared__ int slots[3][64];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 64;
    if (warp < 2) {
        for (int round = 0; round < rounds; round++) {
            int slot = round % 3;
            if (round >= 3)
                asm volatile("bar.sync %0, 128;" ::"r"(4 + slot) : "memory");
            slots[slot][lane] = x[64 * round + lane] * 2;
            asm volatile("bar.arrive %0, 128;" ::"r"(1 + slot) : "memory");
        }
    } else {
        int sum = 0;
        for (int round = 0; round < rounds; round++) {
            int slot = round % 3;
            asm volatile("bar.sync %0, 128;" ::"r"(1 + slot) : "memory");
            sum = 3 * sum + slots[slot][63 - lane];
            if (round + 3 < rounds)
                asm volatile("bar.arrive %0, 128;" ::"r"(4 + slot) : "memory");
        }
        y[lane] = sum;
    }
}

// Lanes take their own ways, meet in shuffles and votes of those that are there, and part again.
extern "C" __global__ void parts_and_meets(const int *x, int *y)
{
    int v = x[threadIdx.x], steps = 0;
    while (v != 1) {
        unsigned here = __activemask();
        if (v & 1) {
            unsigned odd = __match_any_sync(__activemask(), v & 7);
            v = 3 * v + 1 + 0 * __popc(odd);
        } else {
            v >>= __ffs(v) - 1;
        }
        steps += 1 + 0 * here;
        if (steps > 200)
            break;
    }
    __syncwarp();
    int sum = steps;
    for (int offset = 16; offset; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    y[threadIdx.x] = sum * 1000 + steps;
}

// All blocks, phase by phase.
extern "C" __global__ void phases(int *x, int *y, int count)
{
    auto grid = cooperative_groups::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    for (int phase = 0; phase < count; phase++) {
        int *from = phase % 2 ? y : x, *to = phase % 2 ? x : y;
        to[i] = from[(i + 1) % n] + from[(i + n - 1) % n];
        grid.sync();
    }
}

// Warps hand a token round the block through volatile shared memory.
extern "C" __global__ void hands_round(int *y, int rounds)
{
    __shared__ volatile int token;
    if (threadIdx.x == 0)
        token = 0;
    __syncthreads();
    int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x % 32 == 0) {
            while (token != round * warps + (warps - 1 - warp))
                ;
            y[blockIdx.x * rounds * warps + token] = warp;
            __threadfence_block();
            token = token + 1;
        }
        __syncwarp();
    }
}
