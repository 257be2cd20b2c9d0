// Copies of parts of tensors (TMA), by inline PTX and cuda::ptx.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#define KERNEL extern "C" __global__ void

__device__ void begin(uint64_t *barrier, uint32_t bytes)
{
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_proxy_async();
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
}

__device__ void await(uint64_t *barrier)
{
    while (!ptx::mbarrier_try_wait_parity(barrier, 0))
        ;
}

template <int RANK> __device__ void load(void *to, const CUtensorMap *map, const int (&at)[5], uint64_t *barrier)
{
    int32_t first[RANK];
    for (int i = 0; i < RANK; i++)
        first[i] = at[i];
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, first, barrier);
}

// One box of a tensor of any rank, byte for byte as it lies in shared memory.
KERNEL boxes(const __grid_constant__ CUtensorMap map, int rank, int c0, int c1, int c2, int c3, int c4, uint8_t *y, int bytes)
{
    extern __shared__ __align__(1024) uint8_t box[];
    __shared__ uint64_t barrier;
    int at[5] = {c0, c1, c2, c3, c4};
    if (threadIdx.x == 0) {
        begin(&barrier, bytes);
        switch (rank) {
        case 1: load<1>(box, &map, at, &barrier); break;
        case 2: load<2>(box, &map, at, &barrier); break;
        case 3: load<3>(box, &map, at, &barrier); break;
        case 4: load<4>(box, &map, at, &barrier); break;
        case 5: load<5>(box, &map, at, &barrier); break;
        }
    }
    __syncthreads();
    await(&barrier);
    for (int i = threadIdx.x; i < bytes; i += blockDim.x)
        y[i] = box[i];
}

// A box goes in, is doubled, and goes out to where it came from in another tensor; or is added there.
template <bool ADDS> __device__ void through(const CUtensorMap &from, const CUtensorMap &to, int bytes)
{
    extern __shared__ __align__(1024) float tile[];
    __shared__ uint64_t barrier;
    int32_t at[2] = {(int)blockIdx.x % 2 * 32, (int)blockIdx.x / 2 * 8};
    if (threadIdx.x == 0) {
        begin(&barrier, bytes);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &barrier);
    }
    __syncthreads();
    await(&barrier);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x)
        tile[i] *= 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (ADDS)
            ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &to, at, tile);
        else
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

KERNEL doubled(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int bytes)
{
    through<false>(from, to, bytes);
}

KERNEL added(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int bytes)
{
    through<true>(from, to, bytes);
}

// The map lies in global memory; the leader's box goes to all blocks of the cluster.
KERNEL multicast(const CUtensorMap *map, float *y)
{
    __shared__ alignas(128) float tile[64];
    __shared__ uint64_t barrier;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        begin(&barrier, sizeof tile);
    cluster.sync();
    int32_t at[2] = {0, 1};
    if (threadIdx.x == 0 && cluster.block_rank() == 0)
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, &barrier,
                                  (uint16_t)((1 << cluster.num_blocks()) - 1));
    await(&barrier);
    y[64 * blockIdx.x + threadIdx.x] = tile[threadIdx.x] + blockIdx.x;
    cluster.sync();
}

KERNEL unaligned(const __grid_constant__ CUtensorMap map, float *y)
{
    __shared__ alignas(128) float tile[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        begin(&barrier, 64);
        int32_t at[2] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile + 4, &map, at, &barrier);
    }
    __syncthreads();
    await(&barrier);
    y[threadIdx.x] = tile[threadIdx.x % 64];
}

KERNEL read_too_early(const __grid_constant__ CUtensorMap map, float *y)
{
    __shared__ alignas(128) float tile[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        begin(&barrier, sizeof tile);
        int32_t at[2] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &barrier);
    }
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x % 64];
    await(&barrier);
}
