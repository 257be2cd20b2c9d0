// Pixels of images (TMA in im2col mode): into shared memory, at all places of a filter, and out again.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

#define KERNEL extern "C" __global__ void

struct Start {
    int at[5];
    unsigned short offset[6];
};

__device__ unsigned shared(const void *place) { return (unsigned)__cvta_generic_to_shared(place); }

template <int RANK> __device__ void load(void *to, const CUtensorMap *map, const Start &s, uint64_t *barrier)
{
    if constexpr (RANK == 3)
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%3, %4, %5}], [%2], {%6};" ::"r"(shared(to)), "l"(map), "r"(shared(barrier)),
                     "r"(s.at[0]), "r"(s.at[1]), "r"(s.at[2]), "h"(s.offset[0]) : "memory");
    if constexpr (RANK == 4)
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(shared(to)), "l"(map),
                     "r"(shared(barrier)), "r"(s.at[0]), "r"(s.at[1]), "r"(s.at[2]), "r"(s.at[3]), "h"(s.offset[0]),
                     "h"(s.offset[1]) : "memory");
    if constexpr (RANK == 5)
        asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%3, %4, %5, %6, %7}], [%2], {%8, %9, %10};" ::"r"(shared(to)), "l"(map),
                     "r"(shared(barrier)), "r"(s.at[0]), "r"(s.at[1]), "r"(s.at[2]), "r"(s.at[3]), "r"(s.at[4]),
                     "h"(s.offset[0]), "h"(s.offset[1]), "h"(s.offset[2]) : "memory");
}

// The pixels of one copy, byte for byte as they lie in shared memory.
template <int RANK> __device__ void pixels(const CUtensorMap &map, const Start &start, uint8_t *y, int bytes)
{
    extern __shared__ __align__(1024) uint8_t box[];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_proxy_async();
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, bytes);
        load<RANK>(box, &map, start, &barrier);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0))
        ;
    for (int i = threadIdx.x; i < bytes; i += blockDim.x)
        y[i] = box[i];
}

KERNEL pixels3(const __grid_constant__ CUtensorMap map, Start start, uint8_t *y, int bytes) { pixels<3>(map, start, y, bytes); }
KERNEL pixels4(const __grid_constant__ CUtensorMap map, Start start, uint8_t *y, int bytes) { pixels<4>(map, start, y, bytes); }
KERNEL pixels5(const __grid_constant__ CUtensorMap map, Start start, uint8_t *y, int bytes) { pixels<5>(map, start, y, bytes); }

// Numbers go out as pixels of images, to be kept there or to be added.
template <bool ADDS> __device__ void out(const CUtensorMap &map, int w, int h, int n, int count)
{
    extern __shared__ __align__(1024) float tile[];
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        tile[i] = i + 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (ADDS)
            asm volatile("cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group"
                         " [%0, {0, %2, %3, %4}], [%1];" ::"l"(&map), "r"(shared(tile)), "r"(w), "r"(h), "r"(n) : "memory");
        else
            asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group"
                         " [%0, {0, %2, %3, %4}], [%1];" ::"l"(&map), "r"(shared(tile)), "r"(w), "r"(h), "r"(n) : "memory");
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

KERNEL stored(const __grid_constant__ CUtensorMap map, int w, int h, int n, int count) { out<false>(map, w, h, n, count); }
KERNEL added(const __grid_constant__ CUtensorMap map, int w, int h, int n, int count) { out<true>(map, w, h, n, count); }

// A convolution by an implicit product: one block multiplies 64 pixels by all filters, one place of the filter at a
// time, 16 channels deep.
KERNEL convolved(const __grid_constant__ CUtensorMap map, const float *filter, float *y, int W, int H, int pad, int K)
{
    __shared__ alignas(128) float x[64][16];
    __shared__ uint64_t barrier;
    int first = blockIdx.x * 64, q = first % W, p = first / W % H, n = first / (W * H);
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&barrier, 1);
    __syncthreads();
    float sum[16] = {};
    for (int place = 0; place < 9; place++) {
        if (threadIdx.x == 0) {
            Start start = {{0, q - pad, p - pad, n, 0}, {(unsigned short)(place % 3), (unsigned short)(place / 3)}};
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof x);
            load<4>(x, &map, start, &barrier);
        }
        while (!ptx::mbarrier_try_wait_parity(&barrier, place & 1))
            ;
        for (int k = 0; k < K; k++)
            for (int c = 0; c < 16; c++)
                sum[k] += x[threadIdx.x][c] * filter[(k * 9 + place) * 16 + c];
        __syncthreads();
    }
    for (int k = 0; k < K; k++)
        y[(first + threadIdx.x) * K + k] = sum[k];
}
