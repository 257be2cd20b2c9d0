// Tile chosen by shape: SKINNY_ROWS=16, FILL=150, STAGES=3
#include <cstdint>
#include <cuda_runtime.h>
#include <cuda_bf16.h>

using Scalar = __nv_bfloat16;  // what the tensors hold; sums are always float

__device__ __forceinline__ float widen(float x) { return x; }
__device__ __forceinline__ float widen(__nv_bfloat16 x) { return __bfloat162float(x); }

__device__ __forceinline__ void narrow(float x, float* out) { *out = x; }
__device__ __forceinline__ void narrow(float x, __nv_bfloat16* out) { *out = __float2bfloat16_rn(x); }

// Vector accesses need addresses on 16-byte boundaries: true of every row when the base is and the row length is.
inline bool on_16_bytes(const void* base, size_t row_bytes) {
    return reinterpret_cast<uintptr_t>(base) % 16 == 0 && row_bytes % 16 == 0;
}

inline int tiles(int length, int tile) { return (length + tile - 1) / tile; }
// Four neighbours of a row from `index` on, as floats; zero past `limit`. With VECTOR one access fetches all four.
template <bool VECTOR>
__device__ __forceinline__ float4 load_quad(const float* row, int index, int limit) {
    if (VECTOR)
        return index < limit ? *reinterpret_cast<const float4*>(row + index) : make_float4(0.f, 0.f, 0.f, 0.f);
    return make_float4(index < limit ? row[index] : 0.f, index + 1 < limit ? row[index + 1] : 0.f,
                       index + 2 < limit ? row[index + 2] : 0.f, index + 3 < limit ? row[index + 3] : 0.f);
}

template <bool VECTOR>
__device__ __forceinline__ void store_quad(float* row, int index, int limit, float4 quad) {
    if (VECTOR) {
        if (index < limit) *reinterpret_cast<float4*>(row + index) = quad;
        return;
    }
    if (index < limit) row[index] = quad.x;
    if (index + 1 < limit) row[index + 1] = quad.y;
    if (index + 2 < limit) row[index + 2] = quad.z;
    if (index + 3 < limit) row[index + 3] = quad.w;
}

// A bf16 is the upper half of a float: widening is a shift.
__device__ __forceinline__ float4 widen_quad(uint2 pairs) {
    return make_float4(__uint_as_float(pairs.x << 16), __uint_as_float(pairs.x & 0xffff0000u),
                       __uint_as_float(pairs.y << 16), __uint_as_float(pairs.y & 0xffff0000u));
}

__device__ __forceinline__ unsigned narrow_pair(float low, float high) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const unsigned*>(&pair);
}

template <bool VECTOR>
__device__ __forceinline__ float4 load_quad(const __nv_bfloat16* row, int index, int limit) {
    if (VECTOR)
        return index < limit ? widen_quad(*reinterpret_cast<const uint2*>(row + index))
                             : make_float4(0.f, 0.f, 0.f, 0.f);
    return make_float4(index < limit ? widen(row[index]) : 0.f, index + 1 < limit ? widen(row[index + 1]) : 0.f,
                       index + 2 < limit ? widen(row[index + 2]) : 0.f,
                       index + 3 < limit ? widen(row[index + 3]) : 0.f);
}

template <bool VECTOR>
__device__ __forceinline__ void store_quad(__nv_bfloat16* row, int index, int limit, float4 quad) {
    if (VECTOR) {
        if (index < limit)
            *reinterpret_cast<uint2*>(row + index) =
                make_uint2(narrow_pair(quad.x, quad.y), narrow_pair(quad.z, quad.w));
        return;
    }
    if (index < limit) narrow(quad.x, row + index);
    if (index + 1 < limit) narrow(quad.y, row + index + 1);
    if (index + 2 < limit) narrow(quad.z, row + index + 2);
    if (index + 3 < limit) narrow(quad.w, row + index + 3);
}
// The tile (row, column) that this block owns. Tiles are taken in groups of eight tile rows, column by column, so that
// blocks which run at the same time share rows of A and columns of B in L2.
__device__ __forceinline__ int2 tile_of_block(int tiles_m, int tiles_n) {
    constexpr int GROUP = 8;
    const int group = blockIdx.x / (GROUP * tiles_n), place = blockIdx.x - group * GROUP * tiles_n;
    const int rows = min(GROUP, tiles_m - group * GROUP);
    return make_int2(group * GROUP + place % rows, place / rows);
}
// Two neighbours of a row; with VECTOR rows are even and aligned, so that one access stores both.
template <bool VECTOR>
__device__ __forceinline__ void store_pair(__nv_bfloat16* row, int index, int limit, float first, float second) {
    if (VECTOR) {
        if (index < limit) *reinterpret_cast<__nv_bfloat162*>(row + index) = __floats2bfloat162_rn(first, second);
        return;
    }
    if (index < limit) narrow(first, row + index);
    if (index + 1 < limit) narrow(second, row + index + 1);
}

template <bool VECTOR>
__device__ __forceinline__ void store_pair(float* row, int index, int limit, float first, float second) {
    if (VECTOR) {
        if (index < limit) *reinterpret_cast<float2*>(row + index) = make_float2(first, second);
        return;
    }
    if (index < limit) row[index] = first;
    if (index + 1 < limit) row[index + 1] = second;
}
__device__ __forceinline__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Copies 16 bytes from global to shared memory past the registers; of those, all after `bytes` become zero.
__device__ __forceinline__ void copy_async_16(void* to, const void* from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(shared_address(to)), "l"(from), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }

// Waits until at most PENDING of the committed groups are still under way.
template <int PENDING>
__device__ __forceinline__ void wait_copies() {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(PENDING) : "memory");
}

// Eight neighbours, of which the first `inside` exist; the others become zero, and are not read. ALIGNED: all eight lie on
// 16 bytes and exist or not together, and the copy runs on its own until it is waited for; otherwise it is done at once.
template <bool ALIGNED>
__device__ __forceinline__ void fill_piece(__nv_bfloat16* to, const __nv_bfloat16* from, int inside) {
    if (ALIGNED) {
        copy_async_16(to, from, inside > 0 ? 16 : 0);
    } else {
#pragma unroll 1  // rare, and eight branches a piece would swell the kernel
        for (int i = 0; i < 8; ++i) to[i] = i < inside ? from[i] : __nv_bfloat16(0.f);
    }
}
// Four 8x8 bf16 matrices from shared memory; lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void load_matrices(unsigned (&out)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 { %0, %1, %2, %3}, [%4];\n"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(shared_address(row))
                 : "memory");
}

__device__ __forceinline__ void load_matrices_transposed(unsigned (&out)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 { %0, %1, %2, %3}, [%4];\n"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(shared_address(row))
                 : "memory");
}

// sum[16x8] += a[16x16] * b[16x8]: bf16 factors, float sums. Lane l holds sums (l/4, 2(l%4)+{0,1}) and eight rows on.
__device__ __forceinline__ void multiply_16x8x16(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 { %0, %1, %2, %3}, { %4, %5, %6, %7}, { %8, %9}, "
        "{ %0, %1, %2, %3};\n"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
// Where the two factors of one pipeline stage lie in shared memory. Rows are padded by 16 bytes: eight rows read by one
// ldmatrix then start in eight different bank groups.
template <int BM, int BN, int BK, int STAGES, int SLICES, bool B_TRANSPOSED>
struct MmaStage {
    static constexpr int PITCH_A = BK + 8, ROWS_B = B_TRANSPOSED ? BN : BK;
    static constexpr int PITCH_B = (B_TRANSPOSED ? BK : BN) + 8;
    static constexpr int ELEMENTS = BM * PITCH_A + ROWS_B * PITCH_B;
    static constexpr int SUM_BYTES = SLICES > 1 ? BM * BN * 4 : 0;  // the slices' sums pass through the same memory
    static constexpr int BYTES = STAGES * ELEMENTS * 2 > SUM_BYTES ? STAGES * ELEMENTS * 2 : SUM_BYTES;
};

// C[M,N] = alpha * A[M,K] * B on tensor cores (mma.sync m16n8k16), fed by a cp.async pipeline of STAGES tiles: while one
// tile is multiplied, STAGES-1 others are on their way. A warp owns WM x WN sums of the block's BM x BN.
// B_TRANSPOSED: B is stored [N,K]. ALIGNED: all rows lie on 16 bytes; otherwise plain loads fill the tiles.
// SLICES: so many groups of warps share one tile and split each BK step: more warps where tiles are few.
// part_k: blocks with another blockIdx.y take other part_k terms of the sum, and leave M x N sums of their own in C.
template <int BM, int BN, int BK, int WM, int WN, int STAGES, int SLICES, bool B_TRANSPOSED, bool ALIGNED,
          typename TC>
__global__ void __launch_bounds__(BM / WM * (BN / WN) * SLICES * 32)
mma_tile_gemm(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B, TC* __restrict__ C, int M,
              int N, int K, int lda, int ldb, int ldc, float alpha, int part_k) {
    using Stage = MmaStage<BM, BN, BK, STAGES, SLICES, B_TRANSPOSED>;
    constexpr int WARPS = BM / WM * (BN / WN), THREADS = WARPS * SLICES * 32;
    constexpr int TILES_M = WM / 16, TILES_N = WN / 8;
    constexpr int PITCH_A = Stage::PITCH_A, PITCH_B = Stage::PITCH_B, INNER_B = B_TRANSPOSED ? BK : BN;
    static_assert(WM % 16 == 0 && WN % 16 == 0 && BK % (16 * SLICES) == 0 && STAGES >= 2, "whole fragments");
    extern __shared__ __align__(16) unsigned char memory[];
    __nv_bfloat16* const stages = reinterpret_cast<__nv_bfloat16*>(memory);

    const int2 tile = tile_of_block((M + BM - 1) / BM, (N + BN - 1) / BN);
    const int m0 = tile.x * BM, n0 = tile.y * BN;
    A += static_cast<size_t>(blockIdx.y) * part_k;
    B += static_cast<size_t>(blockIdx.y) * part_k * (B_TRANSPOSED ? 1 : ldb);
    C += static_cast<size_t>(blockIdx.y) * M * ldc;
    K = min(part_k, K - static_cast<int>(blockIdx.y) * part_k);

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % WARPS, slice = threadIdx.x / 32 / WARPS;
    const int warp_m = warp / (BN / WN) * WM, warp_n = warp % (BN / WN) * WN;

    // The row pieces of eight that a thread copies in every step: where the first lies, and up to which k0 it is inside.
    constexpr int PIECES_A = BM * BK / 8, PIECES_B = Stage::ROWS_B * INNER_B / 8;
    constexpr int TRIPS_A = (PIECES_A + THREADS - 1) / THREADS, TRIPS_B = (PIECES_B + THREADS - 1) / THREADS;
    const __nv_bfloat16 *from_a[TRIPS_A], *from_b[TRIPS_B];
    int end_a[TRIPS_A], end_b[TRIPS_B];
#pragma unroll
    for (int i = 0; i < TRIPS_A; ++i) {
        const int piece = threadIdx.x + i * THREADS, m = m0 + piece / (BK / 8), k = piece % (BK / 8) * 8;
        from_a[i] = A + static_cast<size_t>(m < M ? m : 0) * lda + k;
        end_a[i] = m < M ? K - k : 0;
    }
#pragma unroll
    for (int i = 0; i < TRIPS_B; ++i) {
        const int piece = threadIdx.x + i * THREADS, outer = piece / (INNER_B / 8), inner = piece % (INNER_B / 8) * 8;
        const int n = n0 + (B_TRANSPOSED ? outer : inner), k = B_TRANSPOSED ? inner : outer;
        from_b[i] = B + (B_TRANSPOSED ? static_cast<size_t>(n < N ? n : 0) * ldb + k : static_cast<size_t>(k) * ldb + n);
        end_b[i] = n < N ? K - k : 0;
    }
    const size_t stride_b = B_TRANSPOSED ? BK : static_cast<size_t>(BK) * ldb;
    auto load = [&](int k0, int stage) {
        __nv_bfloat16* const to_a = stages + stage * Stage::ELEMENTS;
        __nv_bfloat16* const to_b = to_a + BM * PITCH_A;
#pragma unroll
        for (int i = 0; i < TRIPS_A; ++i) {
            const int piece = threadIdx.x + i * THREADS;
            if (PIECES_A % THREADS != 0 && piece >= PIECES_A) continue;
            __nv_bfloat16* const to = to_a + piece / (BK / 8) * PITCH_A + piece % (BK / 8) * 8;
            fill_piece<ALIGNED>(to, from_a[i], end_a[i] - k0);
            from_a[i] += BK;
        }
#pragma unroll
        for (int i = 0; i < TRIPS_B; ++i) {
            const int piece = threadIdx.x + i * THREADS;
            if (PIECES_B % THREADS != 0 && piece >= PIECES_B) continue;
            __nv_bfloat16* const to = to_b + piece / (INNER_B / 8) * PITCH_B + piece % (INNER_B / 8) * 8;
            const int columns = N - n0 - piece % (INNER_B / 8) * 8;  // of a row of B that are inside
            fill_piece<ALIGNED>(to, from_b[i], B_TRANSPOSED ? end_b[i] - k0 : (end_b[i] > k0 ? columns : 0));
            from_b[i] += stride_b;
        }
    };

    float sum[TILES_M][TILES_N][4] = {};
    auto multiply = [&](int stage) {
        const __nv_bfloat16* const tile_a = stages + stage * Stage::ELEMENTS;
        const __nv_bfloat16* const tile_b = tile_a + BM * PITCH_A;
#pragma unroll
        for (int k = slice * 16; k < BK; k += 16 * SLICES) {
            unsigned a[TILES_M][4], b[TILES_N / 2][4];
#pragma unroll
            for (int i = 0; i < TILES_M; ++i)
                load_matrices(a[i], tile_a + (warp_m + i * 16 + lane % 16) * PITCH_A + k + lane / 16 * 8);
#pragma unroll
            for (int j = 0; j < TILES_N / 2; ++j) {
                const int n = warp_n + j * 16;
                if (B_TRANSPOSED)
                    load_matrices(b[j], tile_b + (n + lane / 16 * 8 + lane % 8) * PITCH_B + k + lane / 8 % 2 * 8);
                else
                    load_matrices_transposed(b[j], tile_b + (k + lane % 16) * PITCH_B + n + lane / 16 * 8);
            }
#pragma unroll
            for (int i = 0; i < TILES_M; ++i)
#pragma unroll
                for (int j = 0; j < TILES_N; ++j)
                    multiply_16x8x16(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        }
    };

#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        if (stage * BK < K) load(stage * BK, stage);
        commit_copies();  // empty groups keep the count that wait_copies relies on
    }
    int here = 0, ahead = STAGES - 1;  // the stage that is multiplied, and the one that is filled
    for (int k0 = 0; k0 < K; k0 += BK) {
        wait_copies<STAGES - 2>();
        __syncthreads();  // this step's tile is complete, and nobody still reads the one that is overwritten next
        if (k0 + (STAGES - 1) * BK < K) load(k0 + (STAGES - 1) * BK, ahead);
        commit_copies();
        multiply(here);
        here = here + 1 == STAGES ? 0 : here + 1;
        ahead = ahead + 1 == STAGES ? 0 : ahead + 1;
    }

    // The slices' sums meet in shared memory, one slice after the other: always added in the same order.
    float* const mailbox = reinterpret_cast<float*>(memory) + warp * WM * WN + lane;
#pragma unroll
    for (int other = 1; other < SLICES; ++other) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < WM * WN / 32; ++i)
            if (slice == other) mailbox[i * 32] = sum[i / 4 / TILES_N][i / 4 % TILES_N][i % 4];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < WM * WN / 32; ++i)
            if (slice == 0) sum[i / 4 / TILES_N][i / 4 % TILES_N][i % 4] += mailbox[i * 32];
    }
    if (slice != 0) return;
#pragma unroll
    for (int i = 0; i < TILES_M; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int m = m0 + warp_m + i * 16 + half * 8 + lane / 4;
            if (m >= M) continue;
#pragma unroll
            for (int j = 0; j < TILES_N; ++j) {
                const int n = n0 + warp_n + j * 8 + lane % 4 * 2;
                store_pair<ALIGNED>(C + static_cast<size_t>(m) * ldc, n, N, alpha * sum[i][j][half * 2],
                                    alpha * sum[i][j][half * 2 + 1]);
            }
        }
}
// Chooses tile and split by shape: a large tile reuses most. Where its tiles are too few for the device, the sum over K is
// split among blocks, whose parts meet in scratch memory and are added in a fixed order by a second kernel. Where even
// the parts are too few, small tiles take over.
constexpr int FILL = 150;  // blocks wanted for every hundred multiprocessors

struct GemmShape {
    int M, N, K, lda, ldb, ldc;
    float alpha;
};

constexpr int ADD_THREADS = 256;

template <typename TC>
__global__ void __launch_bounds__(ADD_THREADS)
add_parts(const float* __restrict__ sums, TC* __restrict__ C, int parts, int M, int N, int pitch, int ldc) {
    const size_t at = static_cast<size_t>(blockIdx.x) * ADD_THREADS + threadIdx.x, size = static_cast<size_t>(M) * pitch;
    const int m = static_cast<int>(at / pitch), n = static_cast<int>(at % pitch);
    if (m >= M || n >= N) return;
    float total = 0.f;
#pragma unroll 4
    for (int p = 0; p < parts; ++p) total += sums[p * size + at];
    narrow(total, C + static_cast<size_t>(m) * ldc + n);
}

// Terms of the sum that a block takes: all of them, or so few that there are FILL blocks; a multiple of 64, at least 256.
inline int choose_part(int blocks, int K) {
    const int wanted = 132 * FILL / 100 / blocks;
    if (wanted < 2 || K < 512) return K;
    const int part = tiles(tiles(K, wanted), 64) * 64;
    return part < 256 ? 256 : part;
}

constexpr int STAGES = 3;

template <int BM, int BN, int BK, int WM, int WN, int SLICES, bool B_TRANSPOSED, bool ALIGNED, typename TC>
static void launch_tiles(const Scalar* A, const Scalar* B, TC* C, GemmShape s, int part_k, cudaStream_t stream) {
    const auto kernel = mma_tile_gemm<BM, BN, BK, WM, WN, STAGES, SLICES, B_TRANSPOSED, ALIGNED, TC>;
    constexpr int BYTES = MmaStage<BM, BN, BK, STAGES, SLICES, B_TRANSPOSED>::BYTES;
    if (BYTES > 48 * 1024) cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    const dim3 grid(tiles(s.M, BM) * tiles(s.N, BN), tiles(s.K, part_k));
    kernel<<<grid, BM / WM * (BN / WN) * SLICES * 32, BYTES, stream>>>(A, B, C, s.M, s.N, s.K, s.lda, s.ldb, s.ldc,
                                                                       s.alpha, part_k);
}

enum class Tile { SMALL, FLAT, LARGE, WIDE };  // 32 x 32, 64 x 64 for few rows, 128 x 128, 128 x 256

inline int tiles_of(Tile tile, int M, int N) {
    const int rows = tile == Tile::SMALL ? 32 : tile == Tile::FLAT ? 64 : 128;
    const int columns = tile == Tile::WIDE ? 256 : rows;
    return tiles(M, rows) * tiles(N, columns);
}

// Rows that do not lie on 16 bytes are rare enough for one tile, whose sum is never split.
inline Tile choose_tile(const GemmShape& s, bool vector) {
    if (!vector) return Tile::FLAT;
    if (tiles_of(Tile::WIDE, s.M, s.N) >= 132) return Tile::WIDE;
    const Tile tile = s.M <= 64 ? Tile::FLAT : Tile::LARGE;
    return 3 * tiles_of(tile, s.M, s.N) * tiles(s.K, 256) < 132 ? Tile::SMALL : tile;
}

// WHOLE: every block takes all of K. The widest tile is never split: it is taken where its tiles fill the device.
template <bool B_TRANSPOSED, bool VECTOR, bool WHOLE, typename TC>
static void launch_chosen(Tile tile, const Scalar* A, const Scalar* B, TC* C, GemmShape s, int part_k, cudaStream_t stream) {
    auto launch = launch_tiles<64, 64, 64, 32, 32, 1, B_TRANSPOSED, VECTOR, TC>;
    if constexpr (VECTOR) {
        if (tile == Tile::SMALL) launch = launch_tiles<32, 32, 64, 32, 16, 4, B_TRANSPOSED, VECTOR, TC>;
        if (tile == Tile::LARGE) launch = launch_tiles<128, 128, 32, 64, 64, 1, B_TRANSPOSED, VECTOR, TC>;
        if constexpr (WHOLE)
            if (tile == Tile::WIDE) launch = launch_tiles<128, 256, 32, 64, 64, 1, B_TRANSPOSED, VECTOR, TC>;
    }
    launch(A, B, C, s, part_k, stream);
}

template <bool B_TRANSPOSED, bool VECTOR, typename TC>
static void gemm_by_shape(const Scalar* A, const Scalar* B, TC* C, GemmShape s, cudaStream_t stream) {
    const Tile tile = choose_tile(s, VECTOR);
    if constexpr (VECTOR) {
        const int part_k = tile == Tile::WIDE ? s.K : choose_part(tiles_of(tile, s.M, s.N), s.K);
        const int parts = tiles(s.K, part_k), pitch = tiles(s.N, 8) * 8;
        float* sums = nullptr;
        const size_t values = static_cast<size_t>(parts) * s.M * pitch;
        if (parts > 1 && cudaMallocAsync(reinterpret_cast<void**>(&sums), values * sizeof(float), stream) == cudaSuccess) {
            GemmShape apart = s;
            apart.ldc = pitch;
            launch_chosen<B_TRANSPOSED, true, false>(tile, A, B, sums, apart, part_k, stream);
            const unsigned grid = static_cast<unsigned>((static_cast<size_t>(s.M) * pitch + ADD_THREADS - 1) / ADD_THREADS);
            add_parts<<<grid, ADD_THREADS, 0, stream>>>(sums, C, parts, s.M, s.N, pitch, s.ldc);
            cudaFreeAsync(sums, stream);
            return;
        }
    }
    launch_chosen<B_TRANSPOSED, VECTOR, true>(tile, A, B, C, s, s.K, stream);
}
// C[M,N] = A[M,K] * B[K,N] for few rows: B is read straight from memory, past shared memory, and meets ROWS rows of A in
// registers. A block owns 32 columns; LANES threads fetch 16 bytes each of one row of B's strip, four rows k at a time, and
// the other threads take other k. The partial sums of all k meet in shared memory, always in the same order.
template <int THREADS, int ROWS, bool VECTOR>
__global__ void __launch_bounds__(THREADS)
skinny_gemm(const Scalar* __restrict__ A, const Scalar* __restrict__ B, Scalar* __restrict__ C, int M, int N, int K) {
    constexpr int COLUMNS = 32, QUADS = sizeof(Scalar) == 2 ? 2 : 1;  // 16 bytes a lane: one quad of floats, two of bf16
    constexpr int LANES = COLUMNS / (4 * QUADS), DEPTH = THREADS / LANES;
    __shared__ float partial[THREADS / 32][ROWS][COLUMNS];
    const int column = threadIdx.x % LANES * 4 * QUADS, n = blockIdx.y * COLUMNS + column, m0 = blockIdx.x * ROWS;

    float4 sum[ROWS][QUADS] = {};
#pragma unroll 2
    for (int k = threadIdx.x / LANES * 4; k < K; k += DEPTH * 4) {
        float4 b[4][QUADS];
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int q = 0; q < QUADS; ++q)
                b[i][q] = load_quad<VECTOR>(B + static_cast<size_t>(k + i < K ? k + i : 0) * N, n + 4 * q, k + i < K ? N : 0);
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const bool inside = m0 + r < M;
            const float4 quad = load_quad<VECTOR>(A + static_cast<size_t>(inside ? m0 + r : 0) * K, k, inside ? K : 0);
            const float a[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int q = 0; q < QUADS; ++q) {
                    sum[r][q].x = fmaf(a[i], b[i][q].x, sum[r][q].x);
                    sum[r][q].y = fmaf(a[i], b[i][q].y, sum[r][q].y);
                    sum[r][q].z = fmaf(a[i], b[i][q].z, sum[r][q].z);
                    sum[r][q].w = fmaf(a[i], b[i][q].w, sum[r][q].w);
                }
        }
    }

    auto over_lanes = [](float value) {  // adds the warp's rows k: lanes that hold the same columns
#pragma unroll
        for (int offset = LANES; offset < 32; offset *= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
        return value;
    };
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int q = 0; q < QUADS; ++q) {
            float* const to = &partial[threadIdx.x / 32][r][column + 4 * q];
            const float4 all = make_float4(over_lanes(sum[r][q].x), over_lanes(sum[r][q].y), over_lanes(sum[r][q].z),
                                           over_lanes(sum[r][q].w));
            if (threadIdx.x % 32 < LANES) *reinterpret_cast<float4*>(to) = all;
        }
    __syncthreads();
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += THREADS) {
        const int r = i / COLUMNS, c = blockIdx.y * COLUMNS + i % COLUMNS;
        float total = 0.f;
#pragma unroll
        for (int w = 0; w < THREADS / 32; ++w) total += partial[w][r][i % COLUMNS];
        if (m0 + r < M && c < N) narrow(total, C + static_cast<size_t>(m0 + r) * N + c);
    }
}

// Row groups run beside each other, so that B's strip is read from memory once and from L2 by the others.
template <int ROWS, bool VECTOR>
static void launch_skinny(const Scalar* A, const Scalar* B, Scalar* C, int M, int N, int K, cudaStream_t stream) {
    constexpr int THREADS = ROWS == 1 ? 512 : 256;
    skinny_gemm<THREADS, ROWS, VECTOR><<<dim3(tiles(M, ROWS), tiles(N, 32)), THREADS, 0, stream>>>(A, B, C, M, N, K);
}

constexpr int SKINNY_ROWS = 16;  // M up to which B is streamed without a tile: reading it once is all

template <bool VECTOR>
static void launch(const Scalar* A, const Scalar* B, Scalar* C, int M, int N, int K, cudaStream_t stream) {
    if (M == 1)
        launch_skinny<1, VECTOR>(A, B, C, M, N, K, stream);
    else if (M <= SKINNY_ROWS)
        launch_skinny<4, VECTOR>(A, B, C, M, N, K, stream);
    else
        gemm_by_shape<false, VECTOR>(A, B, C, {M, N, K, K, N, N, 1.f}, stream);
}

static void multiply(const Scalar* A, const Scalar* B, Scalar* C, int M, int N, int K, cudaStream_t stream) {
    const bool vector = on_16_bytes(A, K * sizeof(Scalar)) && on_16_bytes(B, N * sizeof(Scalar)) && on_16_bytes(C, 0);
    (vector ? launch<true> : launch<false>)(A, B, C, M, N, K, stream);
}

extern "C" void matrix_mul_bf16(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int M, int N, int K, cudaStream_t stream) {
    multiply(A, B, C, M, N, K, stream);
}
