#pragma nv_diag_suppress static_var_with_dynamic_init
// What fast kernels for Hopper are made of: warps that load by TMA, warps that multiply by wgmma, cuda::barrier between.
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int TILE = 64, STAGES = 3;

__device__ uint64_t descriptor(const void *tile)
{
    uint64_t address = __cvta_generic_to_shared(tile);
    return (address & 0x3ffff) >> 4 | UINT64_C(1) << 16 | UINT64_C(64) << 32 | UINT64_C(1) << 62;
}

__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b)
{
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, 0;}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
          "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
          "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b));
}

// C = A B^T of 64 x 64 x steps * 64: a warp group loads, another multiplies.
extern "C" __global__ void specialised(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                       float *c, int steps)
{
    extern __shared__ __align__(1024) uint8_t memory[];
    auto *tiles = (__nv_bfloat16(*)[2][TILE * TILE])memory;
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            ptx::mbarrier_init(&full[i], 1);
            ptx::mbarrier_init(&empty[i], 1);
        }
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x >= 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 128)
            for (int step = 0; step < steps; step++) {
                int stage = step % STAGES, round = step / STAGES;
                while (!ptx::mbarrier_try_wait_parity(&empty[stage], (round + 1) & 1))
                    ;
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[stage],
                                               2 * sizeof tiles[0][0]);
                int32_t at[2] = {step * TILE, 0};
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tiles[stage][0], &a, at, &full[stage]);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tiles[stage][1], &b, at, &full[stage]);
            }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float sums[32] = {};
    for (int step = 0; step < steps; step++) {
        int stage = step % STAGES, round = step / STAGES;
        while (!ptx::mbarrier_try_wait_parity(&full[stage], round & 1))
            ;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < TILE / 16; k++)
            multiply(sums, descriptor(tiles[stage][0] + 16 * k), descriptor(tiles[stage][1] + 16 * k));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        asm volatile("bar.sync 1, 128;" ::: "memory");
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive(&empty[stage]);
    }
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    for (int i = 0; i < 32; i++)
        c[(row + i / 2 % 2 * 8) * TILE + column + i / 4 * 8 + i % 2] = sums[i];
}

// Rows by cuda::memcpy_async on a cuda::barrier, which takes the bulk copy where it can.
extern "C" __global__ void by_barrier(const int *x, int *y)
{
    __shared__ alignas(16) int row[256];
    __shared__ barrier on;
    if (threadIdx.x == 0) {
        init(&on, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(row, x + 256 * blockIdx.x, cuda::aligned_size_t<16>(sizeof row), on);
        token = cuda::device::barrier_arrive_tx(on, 1, 0);
    } else {
        token = on.arrive();
    }
    on.wait(std::move(token));
    y[256 * blockIdx.x + threadIdx.x] = row[255 - threadIdx.x];
    for (int i = 1; i < 3; i++)
        on.arrive_and_wait();
}

// cuda::device::experimental's tensor copies, and memcpy_async_tx.
extern "C" __global__ void experimental(const __grid_constant__ CUtensorMap map, const int *x, int *y)
{
    namespace cde = cuda::device::experimental;
    __shared__ alignas(128) int tile[8][16];
    __shared__ alignas(16) int row[128];
    __shared__ barrier on;
    if (threadIdx.x == 0) {
        init(&on, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &map, 4, 2, on);
        cuda::device::memcpy_async_tx(row, x, cuda::aligned_size_t<16>(sizeof row), on);
        token = cuda::device::barrier_arrive_tx(on, 1, sizeof tile + sizeof row);
    } else {
        token = on.arrive();
    }
    on.wait(std::move(token));
    y[threadIdx.x] = tile[threadIdx.x / 16][threadIdx.x % 16] + row[threadIdx.x];
}
