// Kernels that go wrong only sometimes on hardware, each beside one that does the same thing right.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;

// --- barriers of a block

template <bool RIGHT> __device__ void reverse_in_block(float *y, const float *x)
{
    __shared__ float s[128];
    s[threadIdx.x] = x[threadIdx.x];  // line 14
    if (RIGHT)
        __syncthreads();
    y[threadIdx.x] = s[127 - threadIdx.x];  // line 17
}
__global__ void bad_reverse(float *y, const float *x) { reverse_in_block<false>(y, x); }
__global__ void good_reverse(float *y, const float *x) { reverse_in_block<true>(y, x); }

template <bool RIGHT> __device__ void two_tiles(float *y, const float *x)
{
    __shared__ float s[128];
    float sum = 0;
#pragma unroll 1
    for (int tile = 0; tile < 3; tile++) {
        s[threadIdx.x] = x[tile * 128 + threadIdx.x];  // line 28
        __syncthreads();
        sum += s[threadIdx.x ^ 64];  // line 30
        if (RIGHT)
            __syncthreads();
    }
    y[threadIdx.x] = sum;
}
__global__ void bad_tiles(float *y, const float *x) { two_tiles<false>(y, x); }
__global__ void good_tiles(float *y, const float *x) { two_tiles<true>(y, x); }

template <bool RIGHT> __device__ void tree_sum(float *y, const float *x)
{
    extern __shared__ float s[];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int step = 64; step; step /= 2) {
        if (threadIdx.x < step)
            s[threadIdx.x] += s[threadIdx.x + step];  // line 46
        if (RIGHT)
            __syncthreads();
    }
    if (threadIdx.x == 0)
        y[0] = s[0];
}
__global__ void bad_tree(float *y, const float *x) { tree_sum<false>(y, x); }
__global__ void good_tree(float *y, const float *x) { tree_sum<true>(y, x); }

template <bool RIGHT> __device__ void broadcast(float *y, const float *x)
{
    __shared__ float s;
    if (threadIdx.x == 0)
        s = x[0];  // line 60
    if (RIGHT)
        __syncthreads();
    y[threadIdx.x] = s;  // line 63
}
__global__ void bad_broadcast(float *y, const float *x) { broadcast<false>(y, x); }
__global__ void good_broadcast(float *y, const float *x) { broadcast<true>(y, x); }

template <bool RIGHT> __device__ void named(float *y, const float *x)
{
    __shared__ float s[128];
    int half = threadIdx.x / 64;
    s[threadIdx.x] = x[threadIdx.x];  // line 72
    asm volatile("bar.sync %0, 64;" ::"r"(1 + half) : "memory");
    y[threadIdx.x] = RIGHT ? s[threadIdx.x ^ 32] : s[threadIdx.x ^ 64];  // line 74
}
__global__ void bad_named(float *y, const float *x) { named<false>(y, x); }
__global__ void good_named(float *y, const float *x) { named<true>(y, x); }

template <bool RIGHT> __device__ void handed_over(float *y, const float *x)
{
    __shared__ float s[64];
    if (threadIdx.x < 64) {
        s[threadIdx.x] = x[threadIdx.x];  // line 83
        if (RIGHT)
            __threadfence_block();
        asm volatile("bar.arrive 3, 128;" ::: "memory");
        if (!RIGHT)
            s[threadIdx.x] = 2 * x[threadIdx.x];  // line 88
    } else {
        asm volatile("bar.sync 3, 128;" ::: "memory");
        y[threadIdx.x] = s[threadIdx.x - 64];  // line 91
    }
}
__global__ void bad_handover(float *y, const float *x) { handed_over<false>(y, x); }
__global__ void good_handover(float *y, const float *x) { handed_over<true>(y, x); }

// --- within a warp

template <bool RIGHT> __device__ void exchange(float *y, const float *x)
{
    __shared__ float s[32];
    s[threadIdx.x] = x[threadIdx.x];  // line 102
    if (RIGHT)
        __syncwarp();
    y[threadIdx.x] = s[threadIdx.x ^ 1];  // line 105
}
__global__ void bad_exchange(float *y, const float *x) { exchange<false>(y, x); }
__global__ void good_exchange(float *y, const float *x) { exchange<true>(y, x); }

template <bool RIGHT> __device__ void last_warp(float *y, const float *x)
{
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32)
        for (int step = 32; step; step /= 2) {
            s[threadIdx.x] += s[threadIdx.x + step % 33];  // line 117
            if (RIGHT)
                __syncwarp();
        }
    if (threadIdx.x == 0)
        y[0] = s[0];
}
__global__ void bad_last_warp(float *y, const float *x) { last_warp<false>(y, x); }
__global__ void good_last_warp(float *y, const float *x) { last_warp<true>(y, x); }

__global__ void good_volatile_warp(float *y, const float *x)
{
    __shared__ volatile float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32)
        for (int step = 32; step; step /= 2)
            s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + step % 33];
    if (threadIdx.x == 0)
        y[0] = s[0];
}

__global__ void bad_plain_sum(float *y, const float *x)
{
    __shared__ float s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    s += x[threadIdx.x];  // line 145
    __syncthreads();
    y[threadIdx.x] = s;
}
__global__ void good_atomic_sum(float *y, const float *x)
{
    __shared__ float s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, x[threadIdx.x]);
    __syncthreads();
    y[threadIdx.x] = s;
}
__global__ void bad_zeroing(float *y, const float *x)
{
    __shared__ float s;
    if (threadIdx.x == 0)
        s = 0;  // line 163
    atomicAdd(&s, x[threadIdx.x]);  // line 164
    __syncthreads();
    y[threadIdx.x] = s;
}
__global__ void good_same_value(float *y, const float *x)
{
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (x[threadIdx.x] >= 0)
        found = 1;
    __syncthreads();
    y[threadIdx.x] = found;
}

// --- asynchronous copies

template <int WAITS> __device__ void copies(float *y, const float *x)
{
    __shared__ alignas(16) float s[2][128];
    __pipeline_memcpy_async(&s[0][threadIdx.x], &x[threadIdx.x], 4);  // line 185
    __pipeline_commit();
    __pipeline_memcpy_async(&s[1][threadIdx.x], &x[128 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(WAITS);
    __syncthreads();
    y[threadIdx.x] = s[0][127 - threadIdx.x];  // line 191
    __pipeline_wait_prior(0);
}
__global__ void bad_copies(float *y, const float *x) { copies<2>(y, x); }
__global__ void good_copies(float *y, const float *x) { copies<1>(y, x); }

template <bool RIGHT> __device__ void double_buffer(float *y, const float *x)
{
    __shared__ alignas(16) float s[2][128];
    float sum = 0;
    __pipeline_memcpy_async(&s[0][threadIdx.x], &x[threadIdx.x], 4);
    __pipeline_commit();
#pragma unroll 1
    for (int tile = 0; tile < 4; tile++) {
        if (tile < 3)
            __pipeline_memcpy_async(&s[(tile + 1) % 2][threadIdx.x], &x[(tile + 1) * 128 + threadIdx.x], 4);  // line 206
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[tile % 2][threadIdx.x ^ 64];  // line 210
        if (RIGHT)
            __syncthreads();
    }
    y[threadIdx.x] = sum;
}
__global__ void bad_double_buffer(float *y, const float *x) { double_buffer<false>(y, x); }
__global__ void good_double_buffer(float *y, const float *x) { double_buffer<true>(y, x); }

template <bool RIGHT> __device__ void landed_alone(float *y, const float *x)
{
    __shared__ alignas(16) float s[128];
    __pipeline_memcpy_async(&s[threadIdx.x], &x[threadIdx.x], 4);  // line 222
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (RIGHT)
        __syncthreads();
    y[threadIdx.x] = s[127 - threadIdx.x];  // line 227
}
__global__ void bad_landed_alone(float *y, const float *x) { landed_alone<false>(y, x); }
__global__ void good_landed_alone(float *y, const float *x) { landed_alone<true>(y, x); }

// --- blocks

template <bool RIGHT> __device__ void total(float *y, const float *x)
{
    float v = x[blockIdx.x * 32 + threadIdx.x];
    for (int step = 16; step; step /= 2)
        v += __shfl_xor_sync(~0u, v, step);
    if (threadIdx.x == 0) {
        if (RIGHT)
            atomicAdd(y, v);
        else
            y[0] += v;  // line 243
    }
}
__global__ void bad_total(float *y, const float *x) { total<false>(y, x); }
__global__ void good_total(float *y, const float *x) { total<true>(y, x); }

__global__ void bad_neighbours(float *y)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    y[i] = y[i + 32] + 1;  // line 252
}
__global__ void good_overlap(float *y)
{
    int i = blockIdx.x * 31 + threadIdx.x;
    y[i] = 2.0f * i;
}

template <bool RIGHT> __device__ void last_block(float *y, float *parts, unsigned *ticket)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;  // line 264
        if (RIGHT)
            __threadfence();
        is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x)
        y[threadIdx.x] = parts[threadIdx.x];  // line 271
}
__global__ void bad_last_block(float *y, float *p, unsigned *t) { last_block<false>(y, p, t); }
__global__ void good_last_block(float *y, float *p, unsigned *t) { last_block<true>(y, p, t); }

__global__ void good_grid_sync(float *y)
{
    y[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;
    cg::this_grid().sync();
    float other = y[(blockIdx.x + 1) % gridDim.x * 32 + threadIdx.x];
    cg::this_grid().sync();
    y[blockIdx.x * 32 + threadIdx.x] = other;
}

// --- memory that nothing has written

template <bool RIGHT> __device__ void histogram(int *y, const int *x)
{
    __shared__ int bins[64];
    if (threadIdx.x < (RIGHT ? 64 : 60))
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[x[threadIdx.x] & 63], 1);  // line 293
    __syncthreads();
    if (threadIdx.x < 60)
        y[threadIdx.x] = bins[threadIdx.x];
}
__global__ void bad_histogram(int *y, const int *x) { histogram<false>(y, x); }
__global__ void good_histogram(int *y, const int *x) { histogram<true>(y, x); }

__global__ void reads_blank(int *y, const int *x)
{
    y[threadIdx.x] = x[threadIdx.x] + 1;  // line 303
}

// --- tensor cores

template <bool RIGHT> __device__ void fragments(float *y, const __nv_bfloat16 *x)
{
    using namespace nvcuda::wmma;
    __shared__ alignas(32) __nv_bfloat16 a[256];
    __shared__ alignas(32) float c[256];
    for (int i = threadIdx.x; i < 256; i += 64)
        a[i] = x[i];  // line 314
    if (RIGHT)
        __syncthreads();
    fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.0f);
    if (threadIdx.x < 32) {
        load_matrix_sync(fa, a, 16);  // line 322
        fill_fragment(fb, __float2bfloat16(1.0f));
        mma_sync(fc, fa, fb, fc);
        store_matrix_sync(c, fc, 16, mem_row_major);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 64)
        y[i] = c[i];
}
__global__ void bad_fragments(float *y, const __nv_bfloat16 *x) { fragments<false>(y, x); }
__global__ void good_fragments(float *y, const __nv_bfloat16 *x) { fragments<true>(y, x); }

template <bool RIGHT> __device__ void matrices(unsigned *y, const unsigned *x)
{
    __shared__ alignas(16) unsigned s[2][32];
    s[threadIdx.x / 32][threadIdx.x % 32] = x[threadIdx.x];  // line 337
    if (RIGHT)
        __syncthreads();
    unsigned r, place = __cvta_generic_to_shared(&s[1 - threadIdx.x / 32][threadIdx.x % 8 * 4]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(place) : "memory");  // line 341
    y[threadIdx.x] = r;
}
__global__ void bad_matrices(unsigned *y, const unsigned *x) { matrices<false>(y, x); }
__global__ void good_matrices(unsigned *y, const unsigned *x) { matrices<true>(y, x); }

// --- mbarriers

template <bool RIGHT> __device__ void phases(float *y, const float *x)
{
    __shared__ float s[32];
    __shared__ alignas(8) unsigned long long bar;
    unsigned place = __cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(place) : "memory");
    __syncthreads();
    if (threadIdx.x < 32) {
        s[threadIdx.x] = x[threadIdx.x];  // line 358
        asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(place) : "memory");
    } else {
        int over = !RIGHT;
        while (!over)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                         : "=r"(over) : "r"(place) : "memory");
        y[threadIdx.x] = s[threadIdx.x - 32];  // line 365
    }
}
__global__ void bad_phases(float *y, const float *x) { phases<false>(y, x); }
__global__ void good_phases(float *y, const float *x) { phases<true>(y, x); }

// --- narrow elements

template <bool RIGHT> __device__ void bytes(unsigned char *y, const unsigned char *x)
{
    __shared__ unsigned char s[128];
    s[threadIdx.x] = x[threadIdx.x];  // line 376
    if (RIGHT)
        __syncthreads();
    y[threadIdx.x] = RIGHT ? s[127 - threadIdx.x] : s[threadIdx.x / 32 * 32 + 32 & 127];  // line 379
}
__global__ void bad_bytes(unsigned char *y, const unsigned char *x) { bytes<false>(y, x); }
__global__ void good_bytes(unsigned char *y, const unsigned char *x) { bytes<true>(y, x); }

__global__ void bad_winner(float *y)
{
    y[0] = threadIdx.x / 32;  // line 386
}

// --- reads as of memory that nothing writes while the kernel runs
template <bool good> __device__ void read_back(float *y, const float *x) {
  y[threadIdx.x] = x[threadIdx.x] + 1;
  __syncthreads();
  const float *from = y + 127 - threadIdx.x;
  y[1024 + threadIdx.x] = good ? *from + __ldg(x + threadIdx.x) : __ldg(from);
}
__global__ void bad_read_back(float *y, const float *x) { read_back<false>(y, x); }
__global__ void good_read_back(float *y, const float *x) { read_back<true>(y, x); }

__global__ void bad_in_place(float *y) { y[threadIdx.x] += 1, y[threadIdx.x + 128] = __ldg(y + threadIdx.x); }
__global__ void good_in_place(float *y) { y[threadIdx.x] = __ldg(y + threadIdx.x) + 1; }
