// A 7 x 7 filter with one output a thread from global memory, and eight in registers from a shared tile.
#include <cuda_runtime.h>

constexpr int RADIUS = 3, WIDTH = 2 * RADIUS + 1, EACH = 8;
constexpr int TILE_X = 32, TILE_Y = 8 * EACH;

__device__ float weight(int dx, int dy) { return 1.0f / (1 + dx * dx + 2 * dy * dy + dx); }

__global__ void from_global(const float* in, float* out, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < RADIUS || y < RADIUS || x >= n - RADIUS || y >= n - RADIUS) return;
    float sum = 0;
#pragma unroll
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
#pragma unroll
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) sum += weight(dx, dy) * in[(y + dy) * n + x + dx];
    out[y * n + x] = sum;
}

__global__ void from_shared(const float* in, float* out, int n) {
    __shared__ float tile[TILE_Y + 2 * RADIUS][TILE_X + 2 * RADIUS + 2];
    int x0 = blockIdx.x * TILE_X, y0 = blockIdx.y * TILE_Y;
    for (int y = threadIdx.y; y < TILE_Y + 2 * RADIUS; y += 8)
        for (int x = threadIdx.x; x < TILE_X + 2 * RADIUS; x += 32) {
            int gx = min(max(x0 + x - RADIUS, 0), n - 1), gy = min(max(y0 + y - RADIUS, 0), n - 1);
            tile[y][x] = in[gy * n + gx];
        }
    __syncthreads();
    float sum[EACH] = {};
    int top = threadIdx.y * EACH;
#pragma unroll
    for (int r = 0; r < EACH + 2 * RADIUS; ++r)
#pragma unroll
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            float value = tile[top + r][threadIdx.x + RADIUS + dx];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                int dy = r - e - RADIUS;
                if (dy >= -RADIUS && dy <= RADIUS) sum[e] += weight(dx, dy) * value;
            }
        }
    int x = x0 + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        int y = y0 + top + e;
        if (x >= RADIUS && y >= RADIUS && x < n - RADIUS && y < n - RADIUS) out[y * n + x] = sum[e];
    }
}

extern "C" void slow(const float* in, float* out, int n, cudaStream_t stream) {
    from_global<<<dim3(n / 32, n / 8), dim3(32, 8), 0, stream>>>(in, out, n);
}

extern "C" void fast(const float* in, float* out, int n, cudaStream_t stream) {
    from_shared<<<dim3(n / TILE_X, n / TILE_Y), dim3(32, 8), 0, stream>>>(in, out, n);
}
