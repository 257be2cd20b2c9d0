// Clusters as people write them: cooperative groups, cuda::barrier, cuda::ptx and inline PTX.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#define KERNEL extern "C" __global__ void

// Where each block is, as the special registers say.
KERNEL places(int *y)
{
    auto cluster = cg::this_cluster();
    dim3 at = cluster.block_index(), all = cluster.dim_blocks(), id, count;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(id.x));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(id.y));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(count.x));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(count.y));
    int is_explicit;
    asm("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.s32 %0, 1, 0, p;}" : "=r"(is_explicit));
    if (threadIdx.x)
        return;
    int *mine = y + 10 * (blockIdx.y * gridDim.x + blockIdx.x);
    int found[10] = {(int)at.x, (int)at.y, (int)all.x, (int)all.y, (int)cluster.block_rank(),
                     (int)cluster.num_blocks(), (int)(id.y * count.x + id.x), (int)count.x, (int)count.y, is_explicit};
    for (int i = 0; i < 10; i++)
        mine[i] = found[i];
}

// Each block reads its right neighbour's shared memory.
KERNEL ring(const int *x, int *y)
{
    __shared__ int held[64];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
    held[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    cluster.sync();
    const int *theirs = cluster.map_shared_rank(held, (rank + 1) % size);
    y[blockIdx.x * 64 + threadIdx.x] = theirs[63 - threadIdx.x] + 1000 * cluster.query_shared_rank(theirs);
    cluster.sync();
}

// A histogram spread over the cluster's shared memory.
KERNEL histogram(const int *x, int *bins, int count, int bins_each)
{
    extern __shared__ int counts[];
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < bins_each; i += blockDim.x)
        counts[i] = 0;
    cluster.sync();
    for (int i = cluster.thread_rank(); i < count; i += cluster.num_threads())
        atomicAdd(cluster.map_shared_rank(counts, x[i] / bins_each) + x[i] % bins_each, 1);
    cluster.sync();
    for (int i = threadIdx.x; i < bins_each; i += blockDim.x)
        bins[cluster.block_rank() * bins_each + i] = counts[i];
}

// Addresses of shared::cluster: mapa, getctarank, st, ld, atom, cvta, isspacep.
KERNEL windows(int *y)
{
    __shared__ int held[4];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), to = (rank + 1) % cluster.num_blocks();
    unsigned own = (unsigned)__cvta_generic_to_shared(held), far, owner, mine;
    for (int i = 0; i < 4; i++)
        held[i] = 7;
    cluster.sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(own), "r"(to));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner) : "r"(far));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(mine) : "r"(own));
    asm volatile("st.shared::cluster.s32 [%0+4], %1;" ::"r"(far), "r"(100 + (int)rank) : "memory");
    asm volatile("red.shared::cluster.add.s32 [%0+8], %1;" ::"r"(far), "r"((int)rank) : "memory");
    int old, seen, inside, is_global;
    asm volatile("atom.shared::cluster.max.s32 %0, [%1+12], 9;" : "=r"(old) : "r"(far) : "memory");
    cluster.sync();
    asm volatile("ld.shared::cluster.s32 %0, [%1+4];" : "=r"(seen) : "r"(far) : "memory");
    unsigned long long generic, again;
    asm volatile("cvta.shared::cluster.u64 %0, %1;" : "=l"(generic) : "l"((unsigned long long)far));
    asm volatile("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(again) : "l"(generic));
    asm("{.reg .pred p; isspacep.shared::cluster p, %1; selp.s32 %0, 1, 0, p;}" : "=r"(inside) : "l"(generic));
    asm("{.reg .pred p; isspacep.global p, %1; selp.s32 %0, 1, 0, p;}" : "=r"(is_global) : "l"(generic));
    int found[9] = {(int)owner, (int)mine, held[1], held[2], old, seen, inside, is_global, (int)(again == far)};
    for (int i = 0; i < 9; i++)
        y[9 * rank + i] = found[i];
    cluster.sync();
}

// Arrive early, work, wait late; a block of whose warps only some are left does the same.
KERNEL split(const int *x, int *y)
{
    __shared__ int held[32];
    auto cluster = cg::this_cluster();
    if (threadIdx.x >= 32)
        return;
    held[threadIdx.x] = x[blockIdx.x * 32 + threadIdx.x];
    for (int round = 0; round < 3; round++) {
        auto token = cluster.barrier_arrive();
        int busy = 0;
        for (unsigned i = 0; i < 10 * cluster.block_rank(); i++)
            busy += __shfl_xor_sync(~0u, (int)i, 1) & 1;
        cluster.barrier_wait(std::move(token));
        int theirs = cluster.map_shared_rank(held, cluster.block_rank() ^ 1)[threadIdx.x];
        cluster.sync();
        held[threadIdx.x] += theirs + 0 * busy;
    }
    y[blockIdx.x * 32 + threadIdx.x] = held[threadIdx.x];
}

// Every block sends its row to the next one's buffer: st.async with its bytes counted on the receiver's barrier.
KERNEL post(const int *x, int *y)
{
    __shared__ int4 inbox[32];
    __shared__ int sum;
    __shared__ uint64_t barrier;
    auto cluster = cg::this_cluster();
    unsigned to = (cluster.block_rank() + 1) % cluster.num_blocks(), t = threadIdx.x;
    if (t == 0) {
        sum = 0;
        ptx::mbarrier_init(&barrier, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 32 * 20);
    }
    cluster.sync();
    int v = x[blockIdx.x * 32 + t], four[4] = {v, v + 1, v + 2, v + 3};
    auto *theirs = cluster.map_shared_rank(&barrier, to);
    ptx::st_async((int *)cluster.map_shared_rank(inbox + t, to), four, theirs);
    ptx::red_async(ptx::op_add, cluster.map_shared_rank(&sum, to), v, theirs);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, 0))
        ;
    y[blockIdx.x * 32 + t] = inbox[t].x + inbox[t].w + 10000 * sum;
    cluster.sync();
}

// Arrivals at a leader's barrier from all blocks: mapa and mbarrier.arrive on the remote address.
KERNEL gather_arrivals(int *y)
{
    __shared__ uint64_t barrier;
    __shared__ int slots[16];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0 && rank == 0)
        ptx::mbarrier_init(&barrier, 32 * cluster.num_blocks());
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    cluster.sync();
    if (threadIdx.x == 0)
        cluster.map_shared_rank(slots, 0)[rank] = 3 * rank + 1;
    __syncwarp();
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&barrier, 0));
    if (rank == 0) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, 0))
            ;
        if (threadIdx.x < cluster.num_blocks())
            y[threadIdx.x] = slots[threadIdx.x];
    }
    cluster.sync();
}

// The leader's row goes to all blocks of the mask; then each block passes its row on to a neighbour.
KERNEL spread(const int *x, int *y, unsigned mask)
{
    __shared__ alignas(128) int row[64];
    __shared__ alignas(128) int second[64];
    __shared__ uint64_t barrier[2];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), size = cluster.num_blocks(), t = threadIdx.x;
    row[t] = second[t] = -1;
    if (t == 0) {
        ptx::mbarrier_init(barrier, 1);
        ptx::mbarrier_init(barrier + 1, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, 256 * (mask >> rank & 1));
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier + 1, 256);
    }
    ptx::fence_proxy_async();
    cluster.sync();
    if (rank == 0 && t == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, row, x, 256, barrier, (uint16_t)mask);
    while (!ptx::mbarrier_try_wait_parity(barrier, 0))
        ;
    row[t] += rank;
    ptx::fence_proxy_async();
    __syncthreads();
    if (t == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(second, (rank + 1) % size), row,
                           256, cluster.map_shared_rank(barrier + 1, (rank + 1) % size));
    while (!ptx::mbarrier_try_wait_parity(barrier + 1, 0))
        ;
    y[rank * 64 + t] = second[t];
    cluster.sync();
}

// Rows are added to global memory, and to the leader's shared memory.
KERNEL reduce_rows(const float *x, float *total, const int *n, int *largest)
{
    __shared__ alignas(16) float row[64];
    __shared__ alignas(16) int numbers[64];
    __shared__ alignas(16) int sums[64];
    __shared__ uint64_t barrier;
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), t = threadIdx.x;
    row[t] = x[blockIdx.x * 64 + t];
    numbers[t] = n[blockIdx.x * 64 + t];
    sums[t] = 0;
    if (t == 0 && rank == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 256 * cluster.num_blocks());
    }
    ptx::fence_proxy_async();
    cluster.sync();
    if (t == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, total, row, 256);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_max, cluster.map_shared_rank(sums, 0),
                                  numbers, 256, cluster.map_shared_rank(&barrier, 0));
    }
    if (rank == 0) {
        while (!ptx::mbarrier_try_wait_parity(&barrier, 0))
            ;
        largest[t] = sums[t];
    }
    cluster.sync();
}

// --- what is wrong ---

KERNEL no_such_rank(int *y)
{
    __shared__ int held[1];
    held[0] = 1;
    cg::this_cluster().sync();
    y[blockIdx.x] = *cg::this_cluster().map_shared_rank(held, 5);
}

KERNEL ended_too_early(int *y)
{
    __shared__ int held[1];
    auto cluster = cg::this_cluster();
    held[0] = 1;
    cluster.sync();
    if (cluster.block_rank() == 1)
        return;
    for (int i = 0; i < 2000; i++)
        __nanosleep(100);
    y[0] = *cluster.map_shared_rank(held, 1);
}

KERNEL too_many_bytes_expected(const int *x, int *y)
{
    __shared__ alignas(16) int row[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 512);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, row, x, 256, &barrier);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0))
        ;
    y[threadIdx.x] = row[threadIdx.x % 64];
}

KERNEL lost_at_the_cluster(int *y)
{
    auto cluster = cg::this_cluster();
    if (cluster.block_rank() == 0)
        cluster.sync();
    else if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;");
    else
        cluster.sync();
    y[blockIdx.x] = 1;
}

KERNEL past_the_end(int *y)
{
    __shared__ int held[64];
    auto cluster = cg::this_cluster();
    held[threadIdx.x] = 1;
    cluster.sync();
    unsigned own = (unsigned)__cvta_generic_to_shared(held), far;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(far) : "r"(own), "r"(cluster.block_rank() ^ 1));
    asm volatile("st.shared::cluster.s32 [%0+1000], 1;" ::"r"(far) : "memory");
    cluster.sync();
}
