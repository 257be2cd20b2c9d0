// Cooperative groups as people use them: tiles, coalesced, labelled and binary groups, reductions and scans.
#include <cuda/atomic>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <int N> __device__ int tile(int v)
{
    auto group = cg::tiled_partition<N>(cg::this_thread_block());
    int result = cg::reduce(group, v, cg::plus<int>()) + cg::reduce(group, v, cg::less<int>());
    result ^= cg::reduce(group, v, cg::bit_xor<int>());
    result += cg::inclusive_scan(group, v) + cg::exclusive_scan(group, v, cg::plus<int>());
    result += group.shfl_down(v, 1) + group.any(v > 3) + group.ballot(v & 1) + group.match_any(v & 3);
    int all_alike;
    result += group.match_all(v, all_alike) + all_alike + group.meta_group_rank();
    group.sync();
    return result;
}

__device__ int number() { return threadIdx.x * 37 % 101; }

extern "C" __global__ void tiles(int *y)
{
    int v = number();
    y[threadIdx.x] = tile<32>(v) + tile<16>(v) + tile<8>(v) + tile<4>(v) + tile<2>(v);
}

extern "C" __global__ void parts(int *y)
{
    int v = number(), result = 0;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    if (v & 1) {
        auto odd = cg::coalesced_threads();
        result = cg::reduce(odd, v, cg::plus<int>()) + odd.thread_rank() * 1000 + odd.size();
        result += cg::exclusive_scan(odd, v) + odd.shfl(v, 0) + odd.shfl_up(v, 1) + odd.ballot(v > 40);
    }
    auto alike = cg::labeled_partition(warp, v % 3);
    result += cg::reduce(alike, v, cg::greater<int>()) + alike.thread_rank();
    auto half = cg::binary_partition(warp, v > 50);
    result += cg::reduce(half, v, cg::plus<int>()) * half.size();
    result += (int)cg::reduce(warp, (float)v, cg::plus<float>());
    result += (int)cg::reduce(warp, (double)v, cg::less<double>());
    y[threadIdx.x] = result + (int)cg::reduce(warp, (unsigned long long)v, cg::plus<unsigned long long>());
}

extern "C" __global__ void copies(const int *x, int *y)
{
    extern __shared__ int held[];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, held, x, sizeof(int) * blockDim.x);
    cg::wait(block);
    y[threadIdx.x] = held[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void large_tiles(int *y)
{
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto group = cg::tiled_partition<128>(block);
    int v = threadIdx.x;
    y[v] = cg::reduce(group, v, cg::plus<int>()) + cg::inclusive_scan(group, v) + group.shfl(v, 5);
    group.sync();
    cg::invoke_one(block, [&] { y[0] += 7; });
}

extern "C" __global__ void updates(int *y, int *total)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(*total);
    cg::reduce_update_async(warp, sum, (int)threadIdx.x, cg::plus<int>());
    auto block = cg::this_thread_block();
    auto token = block.barrier_arrive();
    block.barrier_wait(std::move(token));
    y[threadIdx.x] = *(volatile int *)total;
}
