// Fused for small heads, two products for large ones: FUSED_DIM=128, BM=128, FILL=300, STAGES=3
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
// Where queries are too few to fill the device, `parts` blocks share a query tile and each takes `keys` of its keys. A part
// leaves its unnormalised sums, its maxima and its totals in scratch memory, and a second kernel merges the parts.
struct Split {
    int parts;       // 1: no scratch memory, the block writes Y itself
    int keys;
    float* scratch;  // sums [parts, q_len, dim_v], then maxima [parts, q_len], then totals [parts, q_len]
};

constexpr int MERGE_THREADS = 128;

__global__ void __launch_bounds__(MERGE_THREADS)
merge_parts(Scalar* __restrict__ Y, const float* __restrict__ sums, int parts, int q_len, int dim_v) {
    const int64_t at = static_cast<int64_t>(blockIdx.x) * MERGE_THREADS + threadIdx.x;
    const int64_t size = static_cast<int64_t>(q_len) * dim_v;
    if (at >= size) return;
    const float* const maxima = sums + parts * size + at / dim_v;
    const float* const totals = maxima + static_cast<size_t>(parts) * q_len;
    float highest = -INFINITY, total = 0.f, sum = 0.f;
    for (int p = 0; p < parts; ++p) highest = fmaxf(highest, maxima[static_cast<size_t>(p) * q_len]);
    for (int p = 0; p < parts; ++p) {
        const float weight = __expf(maxima[static_cast<size_t>(p) * q_len] - highest);
        total += weight * totals[static_cast<size_t>(p) * q_len];
        sum += weight * sums[p * size + at];
    }
    narrow(sum / total, Y + at);
}

// As many parts as give the device about two blocks a multiprocessor, each with at least `least_keys` keys.
static Split plan_split(int blocks, int q_len, int kv_len, int dim_v, int least_keys, cudaStream_t stream) {
    Split split = {1, kv_len, nullptr};
    int parts = 2 * 132 / blocks;
    if (parts > kv_len / least_keys) parts = kv_len / least_keys;
    if (parts < 2) return split;
    const int keys = tiles(tiles(kv_len, parts), 64) * 64;
    parts = tiles(kv_len, keys);
    const size_t values = static_cast<size_t>(parts) * q_len * (dim_v + 2);
    if (cudaMallocAsync(reinterpret_cast<void**>(&split.scratch), values * sizeof(float), stream) != cudaSuccess)
        return {1, kv_len, nullptr};
    return {parts, keys, split.scratch};
}

static void finish_split(Scalar* Y, Split split, int q_len, int dim_v, cudaStream_t stream) {
    if (split.parts == 1) return;
    const int64_t size = static_cast<int64_t>(q_len) * dim_v;
    const unsigned blocks = static_cast<unsigned>((size + MERGE_THREADS - 1) / MERGE_THREADS);
    merge_parts<<<blocks, MERGE_THREADS, 0, stream>>>(Y, split.scratch, split.parts, q_len, dim_v);
    cudaFreeAsync(split.scratch, stream);
}
// Attention in one pass over the keys on tensor cores (Dao 2023). A warp owns 16 queries of the block's BM, and DV columns
// of V. Its scores stay in registers, become weights there, and feed the second product as they lie: the layout of an
// mma's sums is the layout of its left factor. Q and K pass through shared memory in chunks of DK columns, the next chunk
// on its way while one is used; V's rows travel beside the first. DQ: Q is kept in registers when dim_qk <= DQ (0: never).
template <int BM, int BN, int DV, int DQ>
struct FlashStage {
    static constexpr int DK = 64, PITCH = DK + 8, PITCH_V = DV + 8;  // 16 bytes of padding: no bank conflicts in ldmatrix
    static constexpr int ROWS = BN + (DQ == 0 ? BM : 0);             // of K, and of Q where it is not in registers
    static constexpr int BYTES = 2 * (2 * ROWS * PITCH + BN * PITCH_V);
};

template <int BM, int BN, int DV, int DQ>
__global__ void __launch_bounds__(BM * 2)
flash_mma_attention(__nv_bfloat16* __restrict__ Y, const __nv_bfloat16* __restrict__ Q, const __nv_bfloat16* __restrict__ K,
                    const __nv_bfloat16* __restrict__ V, int q_len, int kv_len, int dim_qk, int dim_v, float scale,
                    int parts, int part_keys, float* __restrict__ scratch) {
    using Stage = FlashStage<BM, BN, DV, DQ>;
    constexpr int DK = Stage::DK, PITCH = Stage::PITCH, PITCH_V = Stage::PITCH_V, THREADS = BM * 2;
    constexpr int Q_STEPS = DQ > 0 ? DQ / 16 : 1;
    extern __shared__ __align__(16) unsigned char memory[];
    __nv_bfloat16* const stages = reinterpret_cast<__nv_bfloat16*>(memory);
    __nv_bfloat16* const tile_v = stages + 2 * Stage::ROWS * PITCH;

    const int lane = threadIdx.x % 32, warp_row = threadIdx.x / 32 * 16;
    const int q0 = blockIdx.x * BM, v0 = blockIdx.y * DV;
    const int first_key = blockIdx.z * part_keys, last_key = min(kv_len, first_key + part_keys);
    const int chunks = (dim_qk + DK - 1) / DK, steps = (last_key - first_key + BN - 1) / BN * chunks;

    // Q's fragments, straight from memory: lane l holds columns 2(l%4)+{0,1} and eight on, of rows l/4 and eight on.
    unsigned kept_q[Q_STEPS][4];
    if (DQ > 0) {
#pragma unroll
        for (int i = 0; i < Q_STEPS * 4; ++i) {
            const int q = q0 + warp_row + lane / 4 + i % 2 * 8, d = i / 4 * 16 + i / 2 % 2 * 8 + lane % 4 * 2;
            const __nv_bfloat16* const pair = Q + static_cast<size_t>(q < q_len ? q : 0) * dim_qk + d;
            kept_q[i / 4][i % 4] = q < q_len && d < dim_qk ? *reinterpret_cast<const unsigned*>(pair) : 0u;
        }
    }
    // A thread copies pieces of eight in one column: rows `stride` apart, from the first that is its own.
    auto fill = [](__nv_bfloat16* to, int pitch, const __nv_bfloat16* matrix, int first, int end, int column, int width,
                   int stride, int trips) {
        const __nv_bfloat16* from = matrix + static_cast<size_t>(first) * width + column;
#pragma unroll
        for (int i = 0; i < trips; ++i, from += static_cast<size_t>(stride) * width)
            fill_piece<true>(to + i * stride * pitch, from, first + i * stride < end ? width - column : 0);
    };
    auto load = [&](int step) {
        constexpr int STRIDE = THREADS / (DK / 8);
        const int row = threadIdx.x / (DK / 8), d = threadIdx.x % (DK / 8) * 8, d0 = step % chunks * DK;
        __nv_bfloat16* const to = stages + step % 2 * Stage::ROWS * PITCH + row * PITCH + d;
        fill(to, PITCH, K, first_key + step / chunks * BN + row, last_key, d0 + d, dim_qk, STRIDE, BN / STRIDE);
        if (DQ == 0) fill(to + BN * PITCH, PITCH, Q, q0 + row, q_len, d0 + d, dim_qk, STRIDE, BM / STRIDE);
    };
    auto load_values = [&](int key0) {
        constexpr int STRIDE = THREADS / (DV / 8);
        const int row = threadIdx.x / (DV / 8), v = threadIdx.x % (DV / 8) * 8;
        fill(tile_v + row * PITCH_V + v, PITCH_V, V, key0 + row, last_key, v0 + v, dim_v, STRIDE, BN / STRIDE);
    };

    float score[BN / 8][4], out[DV / 8][4] = {};
    float highest[2] = {-INFINITY, -INFINITY}, total[2] = {0.f, 0.f};
    load(0);
    commit_copies();
    for (int step = 0; step < steps; ++step) {
        const int chunk = step % chunks, key0 = first_key + step / chunks * BN;
        wait_copies<0>();
        __syncthreads();  // this chunk is complete, and nobody still reads what is overwritten next
        if (chunk == 0) {
            load_values(key0);
#pragma unroll
            for (int i = 0; i < BN / 2; ++i) score[i / 4][i % 4] = 0.f;
        }
        if (step + 1 < steps) load(step + 1);
        commit_copies();

        const __nv_bfloat16* const tile_k = stages + step % 2 * Stage::ROWS * PITCH;
#pragma unroll
        for (int d = 0; d < DK; d += 16) {
            unsigned q[4];
            if (DQ > 0) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    q[i] = kept_q[d / 16 % Q_STEPS][i];
#pragma unroll
                    for (int c = 1; c < DQ / DK; ++c)
                        if (chunk == c) q[i] = kept_q[(c * DK + d) / 16 % Q_STEPS][i];
                }
            } else {
                load_matrices(q, tile_k + (BN + warp_row + lane % 16) * PITCH + d + lane / 16 * 8);
            }
#pragma unroll
            for (int j = 0; j < BN / 16; ++j) {
                unsigned k[4];
                load_matrices(k, tile_k + (j * 16 + lane / 16 * 8 + lane % 8) * PITCH + d + lane / 8 % 2 * 8);
                multiply_16x8x16(score[2 * j], q, k[0], k[1]);
                multiply_16x8x16(score[2 * j + 1], q, k[2], k[3]);
            }
        }
        if (chunk + 1 < chunks) continue;

        // Online softmax: lane l holds columns of rows l/4 and l/4 + 8; four neighbouring lanes share a row.
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float most = -INFINITY;
#pragma unroll
            for (int i = 0; i < BN / 4; ++i) {
                float& s = score[i / 2][half * 2 + i % 2];
                s = key0 + i / 2 * 8 + lane % 4 * 2 + i % 2 < last_key ? s * scale : -INFINITY;
                most = fmaxf(most, s);
            }
            most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 1));
            most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 2));
            most = fmaxf(most, highest[half]);
            const float keep = __expf(highest[half] - most);
            highest[half] = most;
            total[half] *= keep;
#pragma unroll
            for (int i = 0; i < BN / 4; ++i) {
                float& s = score[i / 2][half * 2 + i % 2];
                s = __expf(s - most);
                total[half] += s;
            }
#pragma unroll
            for (int i = 0; i < DV / 4; ++i) out[i / 2][half * 2 + i % 2] *= keep;
        }
        if (chunks == 1) {  // V came with the chunk that is still on its way
            wait_copies<0>();
            __syncthreads();
        }
#pragma unroll
        for (int k = 0; k < BN / 16; ++k) {
            unsigned weight[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float* const pair = &score[2 * k + i / 2][i % 2 * 2];
                const __nv_bfloat162 rounded = __floats2bfloat162_rn(pair[0], pair[1]);
                weight[i] = *reinterpret_cast<const unsigned*>(&rounded);
            }
#pragma unroll
            for (int j = 0; j < DV / 16; ++j) {
                unsigned v[4];
                load_matrices_transposed(v, tile_v + (k * 16 + lane % 16) * PITCH_V + j * 16 + lane / 16 * 8);
                multiply_16x8x16(out[2 * j], weight, v[0], v[1]);
                multiply_16x8x16(out[2 * j + 1], weight, v[2], v[3]);
            }
        }
    }

#pragma unroll
    for (int half = 0; half < 2; ++half) {
        total[half] += __shfl_xor_sync(0xffffffffu, total[half], 1);
        total[half] += __shfl_xor_sync(0xffffffffu, total[half], 2);
        const int q = q0 + warp_row + lane / 4 + half * 8;
        if (q >= q_len) continue;
        const size_t place = static_cast<size_t>(blockIdx.z) * q_len + q;
        const float share = parts == 1 ? 1.f / total[half] : 1.f;
#pragma unroll
        for (int j = 0; j < DV / 8; ++j) {
            const int v = v0 + j * 8 + lane % 4 * 2;
            const float first = out[j][half * 2] * share, second = out[j][half * 2 + 1] * share;
            if (parts == 1)
                store_pair<true>(Y + static_cast<size_t>(q) * dim_v, v, dim_v, first, second);
            else
                store_pair<true>(scratch + place * dim_v, v, dim_v, first, second);
        }
        if (parts > 1 && lane % 4 == 0 && blockIdx.y == 0) {
            const size_t rows = static_cast<size_t>(parts) * q_len;
            scratch[rows * dim_v + place] = highest[half];
            scratch[rows * (dim_v + 1) + place] = total[half];
        }
    }
}

template <int BM, int BN, int DV, int DQ>
static void launch_flash_mma(__nv_bfloat16* Y, const __nv_bfloat16* Q, const __nv_bfloat16* K, const __nv_bfloat16* V, int q_len,
                             int kv_len, int dim_qk, int dim_v, float scale, cudaStream_t stream) {
    const auto kernel = flash_mma_attention<BM, BN, DV, DQ>;
    constexpr int BYTES = FlashStage<BM, BN, DV, DQ>::BYTES;
    if (BYTES > 48 * 1024) cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    const Split split = plan_split(tiles(q_len, BM) * tiles(dim_v, DV), q_len, kv_len, dim_v, 256, stream);
    const dim3 grid(tiles(q_len, BM), tiles(dim_v, DV), split.parts);
    kernel<<<grid, BM * 2, BYTES, stream>>>(Y, Q, K, V, q_len, kv_len, dim_qk, dim_v, scale, split.parts, split.keys,
                                            split.scratch);
    finish_split(Y, split, q_len, dim_v, stream);
}
// Chooses tile and split by shape: a large tile reuses most. Where its tiles are too few for the device, the sum over K is
// split among blocks, whose parts meet in scratch memory and are added in a fixed order by a second kernel. Where even
// the parts are too few, small tiles take over.
constexpr int FILL = 300;  // blocks wanted for every hundred multiprocessors

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
// One block turns one row of scores into probabilities and zeroes the row's padding up to `pitch`. The maximum is taken
// off first, so that no exponential overflows. OUT may be the scores' own memory (same type, element by element).
constexpr int SOFTMAX_THREADS = 256;

template <bool MAXIMUM>
__device__ float over_block(float value) {
    __shared__ float partial[SOFTMAX_THREADS / 32];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, value, offset);
        value = MAXIMUM ? fmaxf(value, other) : value + other;
    }
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = partial[0];
#pragma unroll
    for (int w = 1; w < SOFTMAX_THREADS / 32; ++w) value = MAXIMUM ? fmaxf(value, partial[w]) : value + partial[w];
    __syncthreads();  // the next call writes partial again
    return value;
}

template <typename Out>
__global__ void __launch_bounds__(SOFTMAX_THREADS) row_softmax(const float* scores, Out* probabilities, int length, int pitch) {
    const float* const from = scores + static_cast<size_t>(blockIdx.x) * pitch;
    Out* const to = probabilities + static_cast<size_t>(blockIdx.x) * pitch;
    float highest = -INFINITY, sum = 0.f;
    for (int j = threadIdx.x; j < length; j += SOFTMAX_THREADS) highest = fmaxf(highest, from[j]);
    highest = over_block<true>(highest);
    for (int j = threadIdx.x; j < length; j += SOFTMAX_THREADS) sum += __expf(from[j] - highest);
    const float share = 1.f / over_block<false>(sum);
    for (int j = threadIdx.x; j < pitch; j += SOFTMAX_THREADS)
        narrow(j < length ? __expf(from[j] - highest) * share : 0.f, to + j);
}
// Attention as two matrix products with a softmax between them. The scores go through memory once, which costs
// q_len * kv_len values, but both products run at full matrix speed whatever the head dimensions are; a fused kernel
// would have to keep dim_v sums a query on chip. Queries are taken in chunks that bound the scratch memory.
constexpr size_t SCRATCH_BYTES = size_t{256} << 20;

inline void attend_in_three_phases(Scalar* Y, const Scalar* Q, const Scalar* K, const Scalar* V, int q_len, int kv_len,
                                   int dim_qk, int dim_v, float scale, cudaStream_t stream) {
    const int pitch = tiles(kv_len, 8) * 8;  // every scratch row starts on 16 bytes
    const size_t row_bytes = pitch * (sizeof(float) + (sizeof(Scalar) < 4 ? sizeof(Scalar) : 0));
    int chunk = static_cast<int>(SCRATCH_BYTES / row_bytes / 128 * 128);
    chunk = chunk < 128 ? 128 : chunk;
    chunk = chunk > q_len ? q_len : chunk;
    float* scores = nullptr;
    if (cudaMallocAsync(reinterpret_cast<void**>(&scores), chunk * row_bytes, stream) != cudaSuccess) return;
    Scalar* const shares = sizeof(Scalar) < 4 ? reinterpret_cast<Scalar*>(scores + static_cast<size_t>(chunk) * pitch)
                                              : reinterpret_cast<Scalar*>(scores);
    for (int first = 0; first < q_len; first += chunk) {
        const int rows = chunk < q_len - first ? chunk : q_len - first;
        const Scalar* const q = Q + static_cast<size_t>(first) * dim_qk;
        Scalar* const y = Y + static_cast<size_t>(first) * dim_v;
        const GemmShape to_scores = {rows, kv_len, dim_qk, dim_qk, dim_qk, pitch, scale};
        const GemmShape to_output = {rows, dim_v, kv_len, pitch, dim_v, dim_v, 1.f};
        gemm_by_shape<true, true>(q, K, scores, to_scores, stream);
        row_softmax<<<rows, SOFTMAX_THREADS, 0, stream>>>(scores, shares, kv_len, pitch);
        gemm_by_shape<false, true>(shares, V, y, to_output, stream);
    }
    cudaFreeAsync(scores, stream);
}

// Small head dimensions: one fused pass, whose sums fit on chip. Large ones: two matrix products with the scores in
// memory between them, which are small beside Q, K and V there.
constexpr int FUSED_DIM = 128;

static void attend(Scalar* Y, const Scalar* Q, const Scalar* K, const Scalar* V, int q_len, int kv_len, int dim_qk, int dim_v,
                   float scale, cudaStream_t stream) {
    if (dim_v > FUSED_DIM || dim_qk > 128) {
        attend_in_three_phases(Y, Q, K, V, q_len, kv_len, dim_qk, dim_v, scale, stream);
        return;
    }
    const auto fused = dim_v <= 64 ? launch_flash_mma<128, 64, 64, 128> : launch_flash_mma<128, 64, 128, 128>;
    fused(Y, Q, K, V, q_len, kv_len, dim_qk, dim_v, scale, stream);
}

// Rows that do not lie on 16 bytes are copied to scratch memory where they do, filled up with zeros: these change no score,
// and add columns to Y that are not copied back. So `attend` need know aligned rows only.
constexpr int COPY_THREADS = 128;

__global__ void __launch_bounds__(COPY_THREADS)
copy_row(const Scalar* __restrict__ from, Scalar* __restrict__ to, int from_pitch, int to_pitch) {
    from += static_cast<size_t>(blockIdx.x) * from_pitch;
    to += static_cast<size_t>(blockIdx.x) * to_pitch;
    for (int i = threadIdx.x; i < to_pitch; i += COPY_THREADS) to[i] = i < from_pitch ? from[i] : Scalar(0.f);
}

extern "C" void softmax_attention_bf16(Scalar* Y, const Scalar* Q, const Scalar* K, const Scalar* V, int q_len, int kv_len,
                            int dim_qk, int dim_v, cudaStream_t stream) {
    const float scale = 1.f / sqrtf(static_cast<float>(dim_qk));
    if (on_16_bytes(Q, dim_qk * sizeof(Scalar)) && on_16_bytes(K, 0) && on_16_bytes(V, dim_v * sizeof(Scalar)) &&
        on_16_bytes(Y, 0)) {
        attend(Y, Q, K, V, q_len, kv_len, dim_qk, dim_v, scale, stream);
        return;
    }
    const int pitch_qk = tiles(dim_qk, 8) * 8, pitch_v = tiles(dim_v, 8) * 8;
    const size_t row_values = static_cast<size_t>(pitch_qk) + pitch_v;
    Scalar* q = nullptr;
    if (cudaMallocAsync(reinterpret_cast<void**>(&q), (row_values * q_len + row_values * kv_len) * sizeof(Scalar), stream) !=
        cudaSuccess)
        return;
    Scalar* const k = q + static_cast<size_t>(q_len) * pitch_qk;
    Scalar* const v = k + static_cast<size_t>(kv_len) * pitch_qk;
    Scalar* const y = v + static_cast<size_t>(kv_len) * pitch_v;
    copy_row<<<q_len, COPY_THREADS, 0, stream>>>(Q, q, dim_qk, pitch_qk);
    copy_row<<<kv_len, COPY_THREADS, 0, stream>>>(K, k, dim_qk, pitch_qk);
    copy_row<<<kv_len, COPY_THREADS, 0, stream>>>(V, v, dim_v, pitch_v);
    attend(y, q, k, v, q_len, kv_len, pitch_qk, pitch_v, scale, stream);
    copy_row<<<q_len, COPY_THREADS, 0, stream>>>(y, Y, pitch_v, dim_v);
    cudaFreeAsync(q, stream);
}
