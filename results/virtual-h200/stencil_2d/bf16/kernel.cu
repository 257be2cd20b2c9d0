// Vector march with shuffles: WARPS=4, ROWS=8
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
// V neighbours as floats, by one access: V is 1 or as many as fill 16 bytes, and the address is a multiple of V values.
template <int V>
__device__ __forceinline__ void load_vector(const Scalar* from, float (&out)[V]) {
    if constexpr (V == 1) {
        out[0] = widen(*from);
    } else {
        const uint4 raw = *reinterpret_cast<const uint4*>(from);
        const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            out[2 * i] = __uint_as_float(words[i] << 16);  // a bf16 is the upper half of a float
            out[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
        }
    }
}

template <int V>
__device__ __forceinline__ void store_vector(Scalar* to, const float (&values)[V]) {
    if constexpr (V == 1) {
        narrow(values[0], to);
    } else {
        unsigned words[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const __nv_bfloat162 pair = __floats2bfloat162_rn(values[2 * i], values[2 * i + 1]);
            words[i] = *reinterpret_cast<const unsigned*>(&pair);
        }
        *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
    }
}

// A lane owns V neighbouring columns and marches down ROWS rows with three rows of them in registers. A step fetches one
// new 16-byte vector; left and right neighbours come from the lanes beside it by shuffle, and only the warp's two
// outermost cells are fetched on their own. V is 1 where rows do not lie on 16 bytes.
constexpr int WARPS = 4, ROWS = 8, WIDE = 16 / sizeof(Scalar);

template <int V>
__global__ void __launch_bounds__(WARPS * 32)
vector_march_stencil(Scalar* __restrict__ u_new, const Scalar* __restrict__ u_old, float r, int nx, int ny, int strips) {
    constexpr unsigned ALL = 0xffffffffu;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int j = blockIdx.x % strips * 32 * V + lane * V, i0 = (blockIdx.x / strips * WARPS + warp) * ROWS;
    const bool inside = j < ny;
    const bool fetch_left = lane == 0 && j > 0 && inside, fetch_right = lane == 31 && j + V < ny;
    const Scalar* from = u_old + static_cast<size_t>(i0) * ny + j;
    Scalar* to = u_new + static_cast<size_t>(i0) * ny + j;

    float up[V] = {}, here[V] = {}, down[V] = {};
    if (inside && i0 < nx) {
        if (i0 > 0) load_vector(from - ny, up);
        load_vector(from, here);
    }
    const int rows = min(ROWS, nx - i0);
#pragma unroll 4
    for (int step = 0; step < rows; ++step, from += ny, to += ny) {
        const int i = i0 + step;
        if (inside && i + 1 < nx) load_vector(from + ny, down);
        float left = __shfl_up_sync(ALL, here[V - 1], 1), right = __shfl_down_sync(ALL, here[0], 1);
        if (fetch_left) left = widen(from[-1]);
        if (fetch_right) right = widen(from[V]);
        float next[V];
#pragma unroll
        for (int v = 0; v < V; ++v) {
            const float before = v > 0 ? here[v > 0 ? v - 1 : 0] : left, after = v + 1 < V ? here[(v + 1) % V] : right;
            const bool edge = i == 0 || i == nx - 1 || j + v == 0 || j + v == ny - 1;
            next[v] = edge ? here[v] : here[v] + r * (before + after + up[v] + down[v] - 4.f * here[v]);
        }
        if (inside) store_vector(to, next);
#pragma unroll
        for (int v = 0; v < V; ++v) {
            up[v] = here[v];
            here[v] = down[v];
        }
    }
}

template <int V>
static void launch(Scalar* u_new, const Scalar* u_old, float r, int nx, int ny, cudaStream_t stream) {
    const int strips = tiles(ny, 32 * V);
    vector_march_stencil<V><<<strips * tiles(nx, WARPS * ROWS), WARPS * 32, 0, stream>>>(u_new, u_old, r, nx, ny, strips);
}

extern "C" void stencil_2d_bf16(Scalar* u_new, const Scalar* u_old, float r, int nx, int ny, cudaStream_t stream) {
    const bool vector = on_16_bytes(u_new, ny * sizeof(Scalar)) && on_16_bytes(u_old, ny * sizeof(Scalar));
    (vector ? launch<WIDE> : launch<1>)(u_new, u_old, r, nx, ny, stream);
}
