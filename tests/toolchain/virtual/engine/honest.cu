// Library code that orders its threads in ways of its own: none of it may look like a race.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

__global__ void good_block_scan(int *y, const int *x)
{
    using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_RAKING>;
    using Other = cub::BlockScan<int, 128, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ union {
        Scan::TempStorage scan;
        Other::TempStorage other;
    } storage;
    int value = x[threadIdx.x];
    Scan(storage.scan).InclusiveSum(value, value);
    __syncthreads();
    Other(storage.other).ExclusiveSum(value, value);
    y[threadIdx.x] = value;
}

__global__ void good_radix_sort(int *y, const int *x)
{
    using Sort = cub::BlockRadixSort<int, 128, 4>;
    __shared__ Sort::TempStorage storage;
    int keys[4];
    for (int i = 0; i < 4; i++)
        keys[i] = x[threadIdx.x * 4 + i];
    Sort(storage).Sort(keys);
    for (int i = 0; i < 4; i++)
        y[threadIdx.x * 4 + i] = keys[i];
}

__global__ void good_block_reduce(int *y, const int *x)
{
    using Raking = cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_RAKING>;
    using Warps = cub::BlockReduce<int, 128, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    __shared__ Raking::TempStorage raking;
    __shared__ Warps::TempStorage warps;
    int a = Raking(raking).Sum(x[threadIdx.x]), b = Warps(warps).Reduce(x[threadIdx.x], cuda::maximum<>{});
    if (threadIdx.x == 0)
        y[0] = a + b;
}

__global__ void good_groups(int *y, const int *x)
{
    __shared__ int sums[4], tile_values[128];
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto pair = cg::tiled_partition<8>(warp);
    tile_values[threadIdx.x] = x[threadIdx.x];
    pair.sync();
    int other = tile_values[threadIdx.x / 8 * 8 + 7 - threadIdx.x % 8];
    int sum = cg::reduce(warp, other, cg::plus<int>());
    if (warp.thread_rank() == 0)
        sums[warp.meta_group_rank()] = sum;
    block.sync();
    y[threadIdx.x] = sums[0] + sums[3];
}

__global__ void good_group_copy(int *y, const int *x)
{
    __shared__ alignas(16) int s[2][128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s[0], x, sizeof s[0]);
    cg::memcpy_async(block, s[1], x + 128, sizeof s[1]);
    cg::wait_prior<1>(block);
    int first = s[0][127 - threadIdx.x];
    cg::wait(block);
    y[threadIdx.x] = first + s[1][127 - threadIdx.x];
}

__global__ void good_pipeline(int *y, const int *x)
{
    __shared__ alignas(16) int s[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipeline = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int fetch = 0, tile = 0; tile < 4; tile++) {
        for (; fetch < 4 && fetch < tile + 2; fetch++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, s[fetch % 2], x + 128 * fetch, cuda::aligned_size_t<16>(sizeof s[0]), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += s[tile % 2][127 - threadIdx.x];
        pipeline.consumer_release();
    }
    y[threadIdx.x] = sum;
}

__global__ void good_barrier(int *y, const int *x)
{
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(8) unsigned char place[sizeof(Barrier)];
    __shared__ int s[128];
    Barrier &barrier = *reinterpret_cast<Barrier *>(place);
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    s[threadIdx.x] = x[threadIdx.x];
    barrier.arrive_and_wait();
    int other = s[127 - threadIdx.x];
    barrier.arrive_and_wait();
    s[threadIdx.x] = 2 * other;
    barrier.arrive_and_wait();
    y[threadIdx.x] = s[127 - threadIdx.x];
}

__global__ void good_lock(int *y, const int *x)
{
    __shared__ int lock, total;
    if (threadIdx.x == 0)
        lock = total = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence_block();
        total += x[threadIdx.x];
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    y[threadIdx.x] = total;
}

__global__ void good_look_back(int *y, const int *x, volatile int *flags, volatile int *sums)
{
    __shared__ int before;
    if (threadIdx.x == 0) {
        int sum = 0;
        if (blockIdx.x > 0) {
            while (flags[blockIdx.x - 1] == 0)
                ;
            __threadfence();
            sum = sums[blockIdx.x - 1];
        }
        before = sum;
        sums[blockIdx.x] = sum + x[blockIdx.x];
        __threadfence();
        flags[blockIdx.x] = 1;
    }
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = before;
}

// Five elements for 32 lanes: the library has those that are left over repeat the last copy.
__global__ void good_leftover_copies(int *y, const int *x)
{
    __shared__ int s[4][5];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned row = warp.meta_group_rank(), lane = warp.thread_rank();
    cg::memcpy_async(warp, s[row], x + 32 * row, sizeof s[row]);
    cg::wait(warp);
    y[threadIdx.x] = s[row][lane % 5];
}
