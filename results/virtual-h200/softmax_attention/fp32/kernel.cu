// Two matrix products with a softmax between: FILL=300
#include <cstdint>
#include <cuda_runtime.h>

using Scalar = float;

__device__ __forceinline__ float widen(float x) { return x; }

__device__ __forceinline__ void narrow(float x, float* out) { *out = x; }

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
// C[M,N] = alpha * A[M,K] * B by register tiles. A block owns BM x BN outputs and walks K in steps of BK through
// two shared-memory buffers: while one is computed on, the next step is already on its way into registers.
// A thread keeps TM x TN sums, so a value read from shared memory feeds TN (or TM) FMAs instead of one.
// B_TRANSPOSED: B is stored [N,K]. VECTOR: all rows lie on 16 bytes (8 for bf16) and hold whole quads.
// LANE_ROWS: a warp's lanes form a LANE_ROWS x 32/LANE_ROWS patch; the squarer, the fewer shared-memory bytes.
// SLICES: so many groups of threads share one tile and split each BK step: more warps where tiles are few.
// part_k: blocks with another blockIdx.y take other part_k terms of the sum, and leave M x N sums of their own in C.
template <int BM, int BN, int BK, int TM, int TN, int LANE_ROWS, int SLICES, bool B_TRANSPOSED, bool VECTOR,
          typename TA, typename TB, typename TC>
__global__ void __launch_bounds__(BM / TM * (BN / TN) * SLICES, 512 / (BM / TM * (BN / TN) * SLICES))  // 128 registers
register_tile_gemm(const TA* __restrict__ A, const TB* __restrict__ B, TC* __restrict__ C, int M, int N, int K,
                   int lda, int ldb, int ldc, float alpha, int part_k) {
    constexpr int ROWS = BM / TM, COLS = BN / TN, THREADS = ROWS * COLS * SLICES, DEPTH = BK / SLICES;
    constexpr int LANE_COLS = 32 / LANE_ROWS, WARPS_N = COLS / LANE_COLS;
    constexpr int PITCH_A = BM + 4, PITCH_B = BN + 4;  // padded: transposing stores hit fewer equal banks
    constexpr int QUADS_A = BM * BK / 4, QUADS_B = BN * BK / 4;
    constexpr int LOADS_A = (QUADS_A + THREADS - 1) / THREADS, LOADS_B = (QUADS_B + THREADS - 1) / THREADS;
    static_assert(ROWS % LANE_ROWS == 0 && COLS % LANE_COLS == 0 && BK % (4 * SLICES) == 0, "lanes tile the block");
    static_assert(SLICES == 1 || 2 * BK * (PITCH_A + PITCH_B) >= BM * BN, "the slices' sums pass through the buffers");
    __shared__ __align__(16) float buffer[2 * BK * (PITCH_A + PITCH_B)];
    float* const tile_a = buffer;
    float* const tile_b = buffer + 2 * BK * PITCH_A;

    const int2 tile = tile_of_block((M + BM - 1) / BM, (N + BN - 1) / BN);
    const int m0 = tile.x * BM, n0 = tile.y * BN;

    const int slice = threadIdx.x / (ROWS * COLS), within = threadIdx.x % (ROWS * COLS);
    const int warp = within / 32, lane = within % 32;
    const int row = (warp / WARPS_N * LANE_ROWS + lane / LANE_COLS) * 4;
    const int col = (warp % WARPS_N * LANE_COLS + lane % LANE_COLS) * 4;

    A += static_cast<size_t>(blockIdx.y) * part_k;
    B += static_cast<size_t>(blockIdx.y) * part_k * (B_TRANSPOSED ? 1 : ldb);
    C += static_cast<size_t>(blockIdx.y) * M * ldc;
    K = min(part_k, K - static_cast<int>(blockIdx.y) * part_k);

    float4 next_a[LOADS_A], next_b[LOADS_B];
    auto fetch = [&](int k0) {
#pragma unroll
        for (int i = 0; i < LOADS_A; ++i) {
            const int quad = threadIdx.x + i * THREADS, m = m0 + quad / (BK / 4), k = k0 + quad % (BK / 4) * 4;
            const bool inside = (QUADS_A % THREADS == 0 || quad < QUADS_A) && m < M;
            next_a[i] = load_quad<VECTOR>(A + static_cast<size_t>(inside ? m : 0) * lda, k, inside ? K : 0);
        }
#pragma unroll
        for (int i = 0; i < LOADS_B; ++i) {
            const int quad = threadIdx.x + i * THREADS;
            const int outer = B_TRANSPOSED ? n0 + quad / (BK / 4) : k0 + quad / (BN / 4);
            const int inner = B_TRANSPOSED ? k0 + quad % (BK / 4) * 4 : n0 + quad % (BN / 4) * 4;
            const bool inside = (QUADS_B % THREADS == 0 || quad < QUADS_B) && outer < (B_TRANSPOSED ? N : K);
            const int limit = B_TRANSPOSED ? K : N;
            next_b[i] = load_quad<VECTOR>(B + static_cast<size_t>(inside ? outer : 0) * ldb, inner, inside ? limit : 0);
        }
    };
    auto scatter = [](float* tile, int pitch, int k, int column, float4 quad) {
        tile[(k + 0) * pitch + column] = quad.x;
        tile[(k + 1) * pitch + column] = quad.y;
        tile[(k + 2) * pitch + column] = quad.z;
        tile[(k + 3) * pitch + column] = quad.w;
    };
    auto stash = [&](int half) {
        float* const to_a = tile_a + half * BK * PITCH_A;
        float* const to_b = tile_b + half * BK * PITCH_B;
#pragma unroll
        for (int i = 0; i < LOADS_A; ++i) {
            const int quad = threadIdx.x + i * THREADS;
            if (QUADS_A % THREADS == 0 || quad < QUADS_A)
                scatter(to_a, PITCH_A, quad % (BK / 4) * 4, quad / (BK / 4), next_a[i]);
        }
#pragma unroll
        for (int i = 0; i < LOADS_B; ++i) {
            const int quad = threadIdx.x + i * THREADS;
            if (QUADS_B % THREADS != 0 && quad >= QUADS_B) continue;
            if (B_TRANSPOSED)
                scatter(to_b, PITCH_B, quad % (BK / 4) * 4, quad / (BK / 4), next_b[i]);
            else
                *reinterpret_cast<float4*>(&to_b[quad / (BN / 4) * PITCH_B + quad % (BN / 4) * 4]) = next_b[i];
        }
    };

    float sum[TM][TN] = {};
    auto multiply = [&](int half) {
        const float* const from_a = tile_a + (half * BK + slice * DEPTH) * PITCH_A + row;
        const float* const from_b = tile_b + (half * BK + slice * DEPTH) * PITCH_B + col;
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            float a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; i += 4)
                *reinterpret_cast<float4*>(a + i) = *reinterpret_cast<const float4*>(from_a + k * PITCH_A + i * ROWS);
#pragma unroll
            for (int j = 0; j < TN; j += 4)
                *reinterpret_cast<float4*>(b + j) = *reinterpret_cast<const float4*>(from_b + k * PITCH_B + j * COLS);
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
        }
    };

    const int steps = (K + BK - 1) / BK;
    fetch(0);
    stash(0);
    __syncthreads();
    for (int step = 0; step < steps; ++step) {
        const bool more = step + 1 < steps;
        if (more) fetch((step + 1) * BK);
        multiply(step % 2);
        if (more) stash((step + 1) % 2);
        __syncthreads();
    }

    // The slices' sums meet in shared memory, one slice after the other: always added in the same order.
    for (int other = 1; other < SLICES; ++other) {
        float* const mailbox = buffer + within;
#pragma unroll
        for (int i = 0; i < TM * TN; ++i)
            if (slice == other) mailbox[i * ROWS * COLS] = sum[i / TN][i % TN];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TM * TN; ++i)
            if (slice == 0) sum[i / TN][i % TN] += mailbox[i * ROWS * COLS];
        __syncthreads();
    }
    if (slice != 0) return;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const int m = m0 + i / 4 * 4 * ROWS + row + i % 4;
        if (m >= M) continue;
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            store_quad<VECTOR>(C + static_cast<size_t>(m) * ldc, n0 + j * COLS + col, N,
                               make_float4(alpha * sum[i][j], alpha * sum[i][j + 1], alpha * sum[i][j + 2],
                                           alpha * sum[i][j + 3]));
    }
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

template <int BM, int BN, int BK, int TM, int TN, int SLICES, bool B_TRANSPOSED, bool VECTOR>
static void launch_tiles(const float* A, const float* B, float* C, GemmShape s, int part_k, cudaStream_t stream) {
    const dim3 grid(tiles(s.M, BM) * tiles(s.N, BN), tiles(s.K, part_k));
    constexpr int THREADS = BM / TM * (BN / TN) * SLICES;
    register_tile_gemm<BM, BN, BK, TM, TN, 8, SLICES, B_TRANSPOSED, VECTOR><<<grid, THREADS, 0, stream>>>(
        A, B, C, s.M, s.N, s.K, s.lda, s.ldb, s.ldc, s.alpha, part_k);
}

enum class Tile { SMALL, FLAT, LARGE };  // 32 x 32, 64 x 128 for few rows, 128 x 128

inline int tiles_of(Tile tile, int M, int N) {
    const int rows = tile == Tile::SMALL ? 32 : tile == Tile::FLAT ? 64 : 128;
    const int columns = tile == Tile::FLAT ? 128 : rows;
    return tiles(M, rows) * tiles(N, columns);
}

// Rows that do not lie on 16 bytes are rare enough for one tile, whose sum is never split.
inline Tile choose_tile(const GemmShape& s, bool vector) {
    if (!vector) return Tile::FLAT;
    const Tile tile = s.M <= 64 ? Tile::FLAT : Tile::LARGE;
    return 3 * tiles_of(tile, s.M, s.N) * tiles(s.K, 256) < 132 ? Tile::SMALL : tile;
}

// WHOLE: every block takes all of K. The widest tile is never split: it is taken where its tiles fill the device.
template <bool B_TRANSPOSED, bool VECTOR, bool WHOLE, typename TC>
static void launch_chosen(Tile tile, const Scalar* A, const Scalar* B, TC* C, GemmShape s, int part_k, cudaStream_t stream) {
    auto launch = launch_tiles<64, 128, 8, 8, 8, 1, B_TRANSPOSED, VECTOR>;
    if constexpr (VECTOR) {
        if (tile == Tile::SMALL) launch = launch_tiles<32, 32, 64, 4, 4, 4, B_TRANSPOSED, VECTOR>;
        if (tile == Tile::LARGE) launch = launch_tiles<128, 128, 8, 8, 8, 1, B_TRANSPOSED, VECTOR>;
    }
    launch(A, B, C, s, part_k, stream);
}

template <bool B_TRANSPOSED, bool VECTOR, typename TC>
static void gemm_by_shape(const Scalar* A, const Scalar* B, TC* C, GemmShape s, cudaStream_t stream) {
    const Tile tile = choose_tile(s, VECTOR);
    if constexpr (VECTOR) {
        const int part_k = choose_part(tiles_of(tile, s.M, s.N), s.K);
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

static void attend(Scalar* Y, const Scalar* Q, const Scalar* K, const Scalar* V, int q_len, int kv_len, int dim_qk, int dim_v,
                   float scale, cudaStream_t stream) {
    attend_in_three_phases(Y, Q, K, V, q_len, kv_len, dim_qk, dim_v, scale, stream);
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

extern "C" void softmax_attention(Scalar* Y, const Scalar* Q, const Scalar* K, const Scalar* V, int q_len, int kv_len,
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
