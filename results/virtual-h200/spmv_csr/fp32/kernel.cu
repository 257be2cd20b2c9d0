// Lanes a row for small matrices, evenly dealt entries for large ones: LANES=16, ROW_THREADS=256, SMALL_KROWS=64, THREADS=256, TILE=2048, BLOCKS=8
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

// Entries, not rows, are dealt out evenly: every block gets the same share of the matrix, wherever rows begin and end, and
// goes through it in tiles. Products are staged side by side; groups of lanes add each row's piece from there. A row that
// crosses a share's border leaves a head or a tail in scratch memory, and a second kernel joins them in a fixed order.
constexpr int THREADS = 256, TILE = 2048, PARTS = 132 * 8;
constexpr unsigned ALL = 0xffffffffu;

// First index in [low, high] with offsets[index] >= wanted, `high` where there is none. A whole warp searches, 32 places at
// once: four rounds for a million rows.
__device__ int warp_lower_bound(const int* __restrict__ offsets, int low, int high, int wanted) {
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

__device__ __forceinline__ int entries_a_part(int entries) { return (entries + PARTS - 1) / PARTS; }

__global__ void __launch_bounds__(THREADS)
nnz_balanced_spmv(int rows, const Scalar* __restrict__ values, const int* __restrict__ col_indices,
                  const int* __restrict__ row_offsets, const Scalar* __restrict__ x, Scalar* __restrict__ y,
                  float* __restrict__ head,     // [PARTS] what a part adds to a row that began before it
                  float* __restrict__ tail,     // [PARTS] the beginning of a row that goes on after it
                  int* __restrict__ tail_row) {  // [PARTS] that row, or -1
    __shared__ float products[TILE];
    __shared__ float carried;     // the sum so far of the row that a tile leaves unfinished
    __shared__ int bounds[2];     // first row of the tile, one past its last
    const int part = blockIdx.x, entries = row_offsets[rows], share = entries_a_part(entries);
    const int64_t start = static_cast<int64_t>(part) * share;
    const int low = static_cast<int>(start < entries ? start : entries), high = min(low + share, entries);
    if (threadIdx.x == 0) {
        tail_row[part] = -1;
        carried = 0.f;
    }
    for (int begin = low; begin < high; begin += TILE) {
        const int end = min(begin + TILE, high);
#pragma unroll 4
        for (int i = begin + threadIdx.x; i < end; i += THREADS)
            products[i - begin] = widen(values[i]) * widen(x[col_indices[i]]);
        if (threadIdx.x < 32) {
            int first = begin == low ? warp_lower_bound(row_offsets, 0, rows, begin) : bounds[1] - 1;
            if (begin == low && row_offsets[first] > begin) --first;                         // it began before
            if (begin > low && row_offsets[first + 1] == begin) ++first;                     // it just ended
            const int last = warp_lower_bound(row_offsets, first, rows, end);                // rows before it begin in time
            __syncwarp();
            if (threadIdx.x == 0) {
                bounds[0] = first;
                bounds[1] = last;
            }
        }
        __syncthreads();
        const int first = bounds[0], count = bounds[1] - first;
        const float before = carried;
        int lanes = 1;  // as many lanes a row as are left over when every row of the tile has one
        while (lanes < 32 && lanes * 2 * count <= THREADS) lanes *= 2;
        const int lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
        __syncthreads();  // all have read what was carried
        for (int base = 0; base < count; base += THREADS / lanes) {
            const int row = first + base + group;
            const bool mine = base + group < count;
            const int from = mine ? row_offsets[row] : 0, to = mine ? row_offsets[row + 1] : 0;
            float sum = 0.f;
            for (int i = max(from, begin) + lane; i < min(to, end); i += lanes) sum += products[i - begin];
            for (int offset = lanes / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(ALL, sum, offset);
            if (!mine || lane != 0) continue;
            if (from < begin) sum += before;
            const bool began_here = from >= low, ends_here = to <= end;
            if (!ends_here && end < high) {
                carried = sum;
            } else if (!began_here) {
                head[part] = sum;
            } else if (ends_here) {
                narrow(sum, y + row);
            } else {
                tail[part] = sum;
                tail_row[part] = row;
            }
        }
        __syncthreads();
    }
    // Rows after the last entry are empty and belong to nobody's share.
    if (high == entries && (low < high || part == 0)) {
        const int first_empty = entries == 0 ? 0 : bounds[1];
        for (int row = first_empty + threadIdx.x; row < rows; row += THREADS) narrow(0.f, y + row);
    }
}

constexpr int JOIN_THREADS = 128;

__global__ void __launch_bounds__(JOIN_THREADS)
join_borders(int rows, const int* __restrict__ row_offsets, Scalar* __restrict__ y, const float* __restrict__ head,
             const float* __restrict__ tail, const int* __restrict__ tail_row) {
    const int part = (blockIdx.x * JOIN_THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const int row = part < PARTS ? tail_row[part] : -1;
    if (row < 0) return;  // the whole warp
    const int last = (row_offsets[row + 1] - 1) / entries_a_part(row_offsets[rows]);
    float sum = lane == 0 ? tail[part] : 0.f;
    for (int p = part + 1 + lane; p <= last; p += 32) sum += head[p];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(ALL, sum, offset);
    if (lane == 0) narrow(sum, y + row);
}

static void spmv_balanced(int rows, const Scalar* values, const int* col_indices, const int* row_offsets, const Scalar* x,
                          Scalar* y, cudaStream_t stream) {
    float* head = nullptr;
    if (cudaMallocAsync(reinterpret_cast<void**>(&head), 3 * PARTS * sizeof(float), stream) != cudaSuccess) return;
    float* const tail = head + PARTS;
    int* const tail_row = reinterpret_cast<int*>(tail + PARTS);
    nnz_balanced_spmv<<<PARTS, THREADS, 0, stream>>>(rows, values, col_indices, row_offsets, x, y, head, tail, tail_row);
    join_borders<<<tiles(PARTS * 32, JOIN_THREADS), JOIN_THREADS, 0, stream>>>(rows, row_offsets, y, head, tail, tail_row);
    cudaFreeAsync(head, stream);
}

// A small matrix is over before its imbalance matters: what counts is how few loads follow one another. In a large one
// bandwidth and balance count, and a second small kernel costs nothing beside them.
constexpr int SMALL_ROWS = 64 * 1024;

extern "C" void spmv_csr(int rows, const Scalar* values, const int* col_indices, const int* row_offsets,
                            const Scalar* x, Scalar* y, cudaStream_t stream) {
    const auto spmv = rows <= SMALL_ROWS ? spmv_by_lanes : spmv_balanced;
    spmv(rows, values, col_indices, row_offsets, x, y, stream);
}
