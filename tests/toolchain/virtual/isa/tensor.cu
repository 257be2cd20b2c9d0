// Tensor-core kernels as people write them: ldmatrix + mma.sync fed by cp.async, and wmma of every shape.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <type_traits>

using namespace nvcuda;

constexpr int BM = 64, BN = 64, BK = 32, PAD = 8;

__device__ uint32_t shared_address(const void *pointer) { return (uint32_t)__cvta_generic_to_shared(pointer); }

__device__ void copy16(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

template <int NEWEST> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(NEWEST)); }

// C[M,N] = A[M,K] B[K,N] in bf16, 64x64 tiles, four warps of 32x32, two stages. WAIT: whether stages are waited for.
template <bool WAIT>
__device__ void pipelined(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int N, int K) {
    __shared__ __align__(16) __nv_bfloat16 As[2][BM][BK + PAD], Bs[2][BK][BN + PAD];
    int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN, warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
    float sums[2][4][4] = {};
    auto load = [&](int stage, int k0) {
        for (int i = thread; i < BM * BK / 8; i += 128)
            copy16(&As[stage][i / (BK / 8)][i % (BK / 8) * 8], A + (row0 + i / (BK / 8)) * K + k0 + i % (BK / 8) * 8);
        for (int i = thread; i < BK * BN / 8; i += 128)
            copy16(&Bs[stage][i / (BN / 8)][i % (BN / 8) * 8], B + (k0 + i / (BN / 8)) * N + column0 + i % (BN / 8) * 8);
        asm volatile("cp.async.commit_group;");
    };
    load(0, 0);
    for (int tile = 0; tile < K / BK; tile++) {
        int stage = tile % 2;
        if (tile + 1 < K / BK) {
            load(1 - stage, (tile + 1) * BK);
            if (WAIT) wait<1>();
            else wait<2>();
        } else if (WAIT) wait<0>();
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < BK; k += 16) {
            uint32_t a[2][4], b[4][2];
            for (int i = 0; i < 2; i++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3])
                             : "r"(shared_address(&As[stage][warp_row + i * 16 + lane % 16][k + lane / 16 * 8])));
            for (int j = 0; j < 4; j++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                             : "=r"(b[j][0]), "=r"(b[j][1])
                             : "r"(shared_address(&Bs[stage][k + lane % 16][warp_column + j * 8])));
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(sums[i][j][0]), "+f"(sums[i][j][1]), "+f"(sums[i][j][2]), "+f"(sums[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e++) {
                int row = row0 + warp_row + i * 16 + lane / 4 + e / 2 * 8;
                C[row * N + column0 + warp_column + j * 8 + lane % 4 * 2 + e % 2] = sums[i][j][e];
            }
}

extern "C" __global__ void gemm(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int N, int K) {
    pipelined<true>(A, B, C, N, K);
}

extern "C" __global__ void gemm_without_wait(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int N, int K) {
    pipelined<false>(A, B, C, N, K);
}

// One warp: C = 2 A B by wmma, through shared memory or not.
template <class T, class LayoutA, class LayoutB, int M, int N, int K, class Use = T, class Sum = float>
__device__ void product(const T *A, const T *B, Sum *C, int depth) {
    constexpr bool a_rows = std::is_same<LayoutA, wmma::row_major>::value;
    constexpr bool b_rows = std::is_same<LayoutB, wmma::row_major>::value;
    __shared__ __align__(32) Sum staged[M * N];
    wmma::fragment<wmma::matrix_a, M, N, K, Use, LayoutA> a;
    wmma::fragment<wmma::matrix_b, M, N, K, Use, LayoutB> b;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> c;
    wmma::fill_fragment(c, Sum(0));
    for (int k = 0; k < depth; k += K) {
        wmma::load_matrix_sync(a, a_rows ? A + k : A + k * M, a_rows ? depth : M);
        wmma::load_matrix_sync(b, b_rows ? B + k * N : B + k, b_rows ? N : depth);
        wmma::mma_sync(c, a, b, c);
    }
    for (int i = 0; i < c.num_elements; i++) c.x[i] = c.x[i] + c.x[i];
    wmma::store_matrix_sync(staged, c, M, wmma::mem_col_major);
    __syncwarp();
    wmma::load_matrix_sync(c, staged, M, wmma::mem_col_major);
    wmma::store_matrix_sync(C, c, N, wmma::mem_row_major);
}

using row = wmma::row_major;
using col = wmma::col_major;
using bf16 = __nv_bfloat16;
#define PRODUCT(name, type, sum, ...)                                                            \
    extern "C" __global__ void name(const type *A, const type *B, sum *C, int depth) {           \
        product<type, __VA_ARGS__>(A, B, C, depth);                                              \
    }
PRODUCT(bf16_rr_16_16, bf16, float, row, row, 16, 16, 16)
PRODUCT(bf16_cc_32_8, bf16, float, col, col, 32, 8, 16)
PRODUCT(bf16_rc_8_32, bf16, float, row, col, 8, 32, 16)
PRODUCT(f16_cr_16_16, half, float, col, row, 16, 16, 16)
PRODUCT(f16_rr_32_8, half, float, row, row, 32, 8, 16)
PRODUCT(f16_cr_8_32, half, float, col, row, 8, 32, 16)
PRODUCT(tf32_rc_16_16, float, float, row, col, 16, 16, 8, wmma::precision::tf32)
PRODUCT(s8_rc_16_16, signed char, int, row, col, 16, 16, 16, signed char, int)
PRODUCT(u8_rr_32_8, unsigned char, int, row, row, 32, 8, 16, unsigned char, int)
PRODUCT(f16_half_16_16, half, half, row, col, 16, 16, 16, half, half)

// One warp: C = A B of single tiles whose elements have 64, 4 or 1 bits.
extern "C" __global__ void doubles(const double *A, const double *B, double *C, int depth) {
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> c;
    wmma::fill_fragment(c, 0.0);
    for (int k = 0; k < depth; k += 4) {
        wmma::load_matrix_sync(a, A + k, depth);
        wmma::load_matrix_sync(b, B + 8 * k, 8);
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(C, c, 8, wmma::mem_col_major);
}

template <class T, int K, class Multiply> __device__ void tiny(const void *A, const void *B, int *C, int depth, Multiply multiply) {
    wmma::fragment<wmma::matrix_a, 8, 8, K, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 8, 8, K, T, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> c;
    wmma::load_matrix_sync(c, C, 8, wmma::mem_row_major);
    constexpr int bits = 128 / K;
    for (int k = 0; k < depth; k += K) {
        wmma::load_matrix_sync(a, (const char *)A + k * bits / 8, depth);
        wmma::load_matrix_sync(b, (const char *)B + k * bits / 8, depth);
        multiply(c, a, b);
    }
    wmma::store_matrix_sync(C, c, 8, wmma::mem_row_major);
}

using namespace wmma::experimental;
struct Plain { template <class C, class A, class B> __device__ void operator()(C &c, A &a, B &b) { wmma::mma_sync(c, a, b, c); } };
struct Bits { template <class C, class A, class B> __device__ void operator()(C &c, A &a, B &b) { wmma::bmma_sync(c, a, b, c, bmmaBitOpXOR); } };
extern "C" __global__ void nibbles(const void *A, const void *B, int *C, int depth) { tiny<precision::s4, 32>(A, B, C, depth, Plain()); }
extern "C" __global__ void bits(const void *A, const void *B, int *C, int depth) { tiny<precision::b1, 128>(A, B, C, depth, Bits()); }

// D in another type than C, and matrices that lie close together.
extern "C" __global__ void mixed(const half *A, const half *B, const half *C, float *D, half *E) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> c, e;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> d;
    wmma::load_matrix_sync(a, A, 16);
    wmma::load_matrix_sync(b, B, 16);
    wmma::load_matrix_sync(c, C, 16, wmma::mem_row_major);
    wmma::mma_sync(d, a, b, c);
    wmma::mma_sync(e, a, b, d);
    wmma::store_matrix_sync(D, d, 16, wmma::mem_row_major);
    wmma::store_matrix_sync(E, e, 16, wmma::mem_row_major);
}

// Copies in three commit groups, each lane waiting for its own; the last group is ragged and zero-filled.
extern "C" __global__ void groups(const float *from, float *to, int valid) {
    __shared__ __align__(16) float held[3][128];
    int thread = threadIdx.x;
    for (int group = 0; group < 3; group++) {
        int left = valid - (group * 32 + thread) * 4, bytes = left <= 0 ? 0 : left >= 4 ? 16 : left * 4;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(&held[group][thread * 4])),
                     "l"(from + (group * 32 + thread) * 4), "r"(bytes));
        asm volatile("cp.async.commit_group;");
    }
    wait<2>();
    __syncwarp();
    for (int i = 0; i < 4; i++) {
        to[thread * 4 + i] = held[0][thread * 4 + i];
        to[128 + thread * 4 + i] = held[2][thread * 4 + i];
    }
    asm volatile("cp.async.wait_all;");
    __syncwarp();
    for (int i = 0; i < 4; i++) to[256 + thread * 4 + i] = held[2][thread * 4 + i];
}

// Four 8x8 matrices, side by side in memory: loaded by ldmatrix, stored transposed by stmatrix, and the other way.
extern "C" __global__ void matrices(const uint16_t *from, uint16_t *to) {
    __shared__ __align__(16) uint16_t in[32][8], out[2][32][8];
    int lane = threadIdx.x;
    uint32_t r[4], t[4];
    for (int i = 0; i < 8; i++) in[lane][i] = from[lane * 8 + i];
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared::cta.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(in[lane])));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0, %1, %2, %3};"
                 ::"r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(shared_address(out[0][lane])) : "memory");
    for (int i = 0; i < 4; i += 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.b16 {%0, %1}, [%2];"
                     : "=r"(t[i]), "=r"(t[i + 1]) : "l"(&in[i * 8 + lane % 16][0]));
    for (int i = 0; i < 4; i++)
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%1], {%0};"
                     ::"r"(t[i]), "r"(shared_address(out[1][i * 8 + lane % 8])) : "memory");
    __syncwarp();
    for (int i = 0; i < 16; i++) to[lane * 16 + i] = out[lane / 16][lane % 16 * 2 + i / 8][i % 8];
}
