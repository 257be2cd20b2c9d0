// Lanes a row for small matrices, even shares of whole rows for large ones: LANES=16, ROW_THREADS=256, SMALL_KROWS=64, THREADS=256, TILE=2048, BLOCKS=8
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
// LANES neighbouring lanes share a row (Bell and Garland's vector CSR): they read its values and columns side by side and
// add their sums by shuffles. As many lanes as a typical row has entries keeps most of them busy.
constexpr int LANES = 16, ROW_THREADS = 256;

__global__ void __launch_bounds__(ROW_THREADS)
lanes_per_row_spmv(int rows, const Scalar* __restrict__ values, const int* __restrict__ col_indices,
                   const int* __restrict__ row_offsets, const Scalar* __restrict__ x, Scalar* __restrict__ y) {
    const int row = static_cast<int>((static_cast<int64_t>(blockIdx.x) * ROW_THREADS + threadIdx.x) / LANES);
    const int lane = threadIdx.x % LANES;
    // Lanes past the last row stay, with nothing to add: the shuffles below want the whole warp.
    const int begin = row < rows ? row_offsets[row] : 0, end = row < rows ? row_offsets[row + 1] : 0;
    float sum = 0.f;
    for (int i = begin + lane; i < end; i += LANES) sum = fmaf(widen(values[i]), widen(x[col_indices[i]]), sum);
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (row < rows && lane == 0) narrow(sum, y + row);
}

static void spmv_by_lanes(int rows, const Scalar* values, const int* col_indices, const int* row_offsets, const Scalar* x,
                          Scalar* y, cudaStream_t stream) {
    const int blocks = tiles(rows, ROW_THREADS / LANES);
    lanes_per_row_spmv<<<blocks, ROW_THREADS, 0, stream>>>(rows, values, col_indices, row_offsets, x, y);
}

// Entries, not rows, are dealt out evenly, and every block takes the rows that begin in its share to their ends: no row is
// shared, so nothing has to be joined. Rows are gone through in tiles: products are staged side by side, and groups of lanes
// add each row's from there. A row longer than a tile is added up by the whole block; one that outweighs a share makes its
// block last, but no longer than its entries take THREADS threads.
constexpr int THREADS = 256, TILE = 2048, PARTS = 132 * 8;
constexpr unsigned ALL = 0xffffffffu;

// First index in [low, high] with offsets[index] >= wanted, `high` where there is none. A whole warp searches, 32 places at
// once: four rounds for a million rows.
__device__ int warp_lower_bound(const int* __restrict__ offsets, int low, int high, int64_t wanted) {
    const int lane = threadIdx.x % 32;
    while (low < high) {
        const int stride = (high - low + 31) / 32, probe = low + lane * stride;
        const int below = __popc(__ballot_sync(ALL, probe < high && offsets[probe] < wanted));
        if (below == 0) return low;
        high = min(high, low + below * stride);
        low += (below - 1) * stride + 1;
    }
    return low;
}

__device__ __forceinline__ float over_lanes(float sum, int lanes) {
    for (int offset = lanes / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(ALL, sum, offset);
    return sum;
}

// One row, longer than a tile, by the whole block; `sums` has room for each warp's.
__device__ void add_long_row(int begin, int end, const Scalar* __restrict__ values, const int* __restrict__ col_indices,
                             const Scalar* __restrict__ x, Scalar* __restrict__ out, float* sums) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0.f;
#pragma unroll 4
    for (int i = begin + threadIdx.x; i < end; i += THREADS) sum = fmaf(widen(values[i]), widen(x[col_indices[i]]), sum);
    sum = over_lanes(sum, 32);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    if (warp != 0) return;
    sum = over_lanes(lane < THREADS / 32 ? sums[lane] : 0.f, 32);
    if (lane == 0) narrow(sum, out);
}

// Rows row … next - 1, which fit into a tile.
__device__ void add_tile(int row, int next, int begin, const Scalar* __restrict__ values, const int* __restrict__ col_indices,
                         const int* __restrict__ row_offsets, const Scalar* __restrict__ x, Scalar* __restrict__ y,
                         float* products) {
    const int end = row_offsets[next], count = next - row;
#pragma unroll 4
    for (int i = begin + threadIdx.x; i < end; i += THREADS) products[i - begin] = widen(values[i]) * widen(x[col_indices[i]]);
    int lanes = 1;  // as many lanes a row as are left over when every row of the tile has one
    while (lanes < 32 && lanes * 2 * count <= THREADS) lanes *= 2;
    const int lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
    __syncthreads();
    for (int base = 0; base < count; base += THREADS / lanes) {
        const int mine = row + base + group;
        const int from = mine < next ? row_offsets[mine] : 0, to = mine < next ? row_offsets[mine + 1] : 0;
        float sum = 0.f;
        for (int i = from + lane; i < to; i += lanes) sum += products[i - begin];
        sum = over_lanes(sum, lanes);
        if (mine < next && lane == 0) narrow(sum, y + mine);
    }
}

__global__ void __launch_bounds__(THREADS)
whole_rows_spmv(int rows, const Scalar* __restrict__ values, const int* __restrict__ col_indices,
                const int* __restrict__ row_offsets, const Scalar* __restrict__ x, Scalar* __restrict__ y) {
    __shared__ float products[TILE];
    __shared__ int edges[2];  // the block's first row, one past its last
    __shared__ int tile_end;  // one past the tile's last row
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int entries = row_offsets[rows], share = (entries + PARTS - 1) / PARTS;
    if (warp < 2) {
        const int part = blockIdx.x + warp;
        const int64_t border = static_cast<int64_t>(part) * share;
        const int edge = part < PARTS ? warp_lower_bound(row_offsets, 0, rows, border) : rows;
        if (lane == 0) edges[warp] = edge;
    }
    __syncthreads();
    const int last = edges[1];
    for (int row = edges[0]; row < last;) {
        const int begin = row_offsets[row];
        if (warp == 0) {
            const int past = warp_lower_bound(row_offsets, row + 1, last + 1, static_cast<int64_t>(begin) + TILE + 1);
            if (lane == 0) tile_end = past - 1;
        }
        __syncthreads();
        const int next = tile_end;
        if (next == row) {
            add_long_row(begin, row_offsets[row + 1], values, col_indices, x, y + row, products);
        } else {
            add_tile(row, next, begin, values, col_indices, row_offsets, x, y, products);
        }
        row = max(next, row + 1);
        __syncthreads();
    }
}

static void spmv_whole_rows(int rows, const Scalar* values, const int* col_indices, const int* row_offsets, const Scalar* x,
                            Scalar* y, cudaStream_t stream) {
    whole_rows_spmv<<<PARTS, THREADS, 0, stream>>>(rows, values, col_indices, row_offsets, x, y);
}

// A small matrix is over before its imbalance matters: what counts is how few loads follow one another. In a large one
// bandwidth and balance count.
constexpr int SMALL_ROWS = 64 * 1024;

extern "C" void spmv_csr_bf16(int rows, const Scalar* values, const int* col_indices, const int* row_offsets,
                            const Scalar* x, Scalar* y, cudaStream_t stream) {
    const auto spmv = rows <= SMALL_ROWS ? spmv_by_lanes : spmv_whole_rows;
    spmv(rows, values, col_indices, row_offsets, x, y, stream);
}
