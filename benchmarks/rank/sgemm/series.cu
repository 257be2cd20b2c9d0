// Seven products C = A B of n x n FP32 matrices, each with one idea more than the one before.
// The steps are those of the published series named in sgemm/__main__.py; the kernels are written anew.
#include <cuda_runtime.h>

// Lanes of a warp are rows of C: every load of A touches 32 lines.
__global__ void rows_along_lanes(const float* a, const float* b, float* c, int n) {
    int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 32 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// Lanes of a warp are columns of C.
__global__ void columns_along_lanes(const float* a, const float* b, float* c, int n) {
    int row = blockIdx.x * 32 + threadIdx.x / 32, column = blockIdx.y * 32 + threadIdx.x % 32;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// Tiles of 32 x 32 in shared memory.
__global__ void shared_tiles(const float* a, const float* b, float* c, int n) {
    __shared__ float left[32 * 32], right[32 * 32];
    int row = threadIdx.x / 32, column = threadIdx.x % 32;
    a += blockIdx.x * 32 * n;
    b += blockIdx.y * 32;
    c += blockIdx.x * 32 * n + blockIdx.y * 32;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 32) {
        left[row * 32 + column] = a[row * n + column];
        right[row * 32 + column] = b[row * n + column];
        __syncthreads();
        a += 32;
        b += 32 * n;
        for (int k = 0; k < 32; ++k) sum += left[row * 32 + k] * right[k * 32 + column];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// 64 x 64 a block, a column of eight elements a thread.
__global__ void column_a_thread(const float* a, const float* b, float* c, int n) {
    __shared__ float left[64 * 8], right[8 * 64];
    int row = threadIdx.x / 64, column = threadIdx.x % 64;
    a += blockIdx.y * 64 * n;
    b += blockIdx.x * 64;
    c += blockIdx.y * 64 * n + blockIdx.x * 64;
    float sum[8] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        left[threadIdx.x] = a[threadIdx.x / 8 * n + threadIdx.x % 8];
        right[threadIdx.x] = b[row * n + column];
        __syncthreads();
        a += 8;
        b += 8 * n;
        for (int k = 0; k < 8; ++k) {
            float y = right[k * 64 + column];
            for (int i = 0; i < 8; ++i) sum[i] += left[(row * 8 + i) * 8 + k] * y;
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i) c[(row * 8 + i) * n + column] = sum[i];
}

// 128 x 128 a block, 8 x 8 elements a thread, scalar accesses.
__global__ void __launch_bounds__(256, 1) square_a_thread(const float* a, const float* b, float* c, int n) {
    __shared__ float left[128 * 8], right[8 * 128];
    int row = threadIdx.x / 16, column = threadIdx.x % 16;
    a += blockIdx.y * 128 * n;
    b += blockIdx.x * 128;
    c += blockIdx.y * 128 * n + blockIdx.x * 128;
    float sum[8][8] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = 0; i < 128; i += 32)
            left[(threadIdx.x / 8 + i) * 8 + threadIdx.x % 8] =
                a[(threadIdx.x / 8 + i) * n + threadIdx.x % 8];
        for (int i = 0; i < 8; i += 2)
            right[(threadIdx.x / 128 + i) * 128 + threadIdx.x % 128] =
                b[(threadIdx.x / 128 + i) * n + threadIdx.x % 128];
        __syncthreads();
        a += 8;
        b += 8 * n;
        for (int k = 0; k < 8; ++k) {
            float x[8], y[8];
            for (int i = 0; i < 8; ++i) x[i] = left[(row * 8 + i) * 8 + k];
            for (int i = 0; i < 8; ++i) y[i] = right[k * 128 + column * 8 + i];
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) c[(row * 8 + i) * n + column * 8 + j] = sum[i][j];
}

__device__ float4 at(const float* place) { return *reinterpret_cast<const float4*>(place); }
__device__ void put(float* place, float4 value) { *reinterpret_cast<float4*>(place) = value; }

// The same with 16-byte accesses, A turned on its way into shared memory.
__global__ void __launch_bounds__(256) wide_accesses(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) float left[8 * 128], right[8 * 128];
    int row = threadIdx.x / 16, column = threadIdx.x % 16;
    a += blockIdx.y * 128 * n + threadIdx.x / 2 * n + threadIdx.x % 2 * 4;
    b += blockIdx.x * 128 + threadIdx.x / 32 * n + threadIdx.x % 32 * 4;
    c += blockIdx.y * 128 * n + blockIdx.x * 128;
    float sum[8][8] = {};
    for (int k0 = 0; k0 < n; k0 += 8) {
        float4 from_a = at(a);
        float* turned = left + threadIdx.x % 2 * 4 * 128 + threadIdx.x / 2;
        turned[0] = from_a.x;
        turned[128] = from_a.y;
        turned[256] = from_a.z;
        turned[384] = from_a.w;
        put(right + threadIdx.x / 32 * 128 + threadIdx.x % 32 * 4, at(b));
        __syncthreads();
        a += 8;
        b += 8 * n;
        for (int k = 0; k < 8; ++k) {
            float x[8], y[8];
            for (int i = 0; i < 8; ++i) x[i] = left[k * 128 + row * 8 + i];
            for (int i = 0; i < 8; ++i) y[i] = right[k * 128 + column * 8 + i];
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; j += 4)
            put(c + (row * 8 + i) * n + column * 8 + j,
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]));
}

// 128 x 128 a block of four warps, 64 x 64 a warp in four strips of 64 x 16, 8 x 4 a thread and strip.
__global__ void __launch_bounds__(128) warp_tiles(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) float left[16 * 128], right[16 * 128];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / 2 * 64 + lane / 4 * 8, column = warp % 2 * 64 + lane % 4 * 4;
    a += blockIdx.y * 128 * n;
    b += blockIdx.x * 128;
    c += blockIdx.y * 128 * n + blockIdx.x * 128;
    float sum[8][16] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = 0; i < 128; i += 32) {
            int line = threadIdx.x / 4 + i, part = threadIdx.x % 4 * 4;
            float4 from_a = at(a + line * n + part);
            left[part * 128 + line] = from_a.x;
            left[(part + 1) * 128 + line] = from_a.y;
            left[(part + 2) * 128 + line] = from_a.z;
            left[(part + 3) * 128 + line] = from_a.w;
        }
        for (int i = 0; i < 16; i += 4)
            put(right + (warp + i) * 128 + lane * 4, at(b + (warp + i) * n + lane * 4));
        __syncthreads();
        a += 16;
        b += 16 * n;
        for (int k = 0; k < 16; ++k) {
            float x[8], y[16];
            for (int i = 0; i < 8; ++i) x[i] = left[k * 128 + row + i];
            for (int strip = 0; strip < 4; ++strip)
                for (int j = 0; j < 4; ++j) y[strip * 4 + j] = right[k * 128 + column + strip * 16 + j];
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 16; ++j) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int strip = 0; strip < 4; ++strip)
            put(c + (row + i) * n + column + strip * 16,
                make_float4(sum[i][strip * 4], sum[i][strip * 4 + 1], sum[i][strip * 4 + 2],
                            sum[i][strip * 4 + 3]));
}

#define ENTRY(name, kernel, grid, block)                                                             \
    extern "C" void name(const float* a, const float* b, float* c, int n, cudaStream_t stream) {      \
        kernel<<<grid, block, 0, stream>>>(a, b, c, n);                                               \
    }

ENTRY(naive, rows_along_lanes, dim3(n / 32, n / 32), dim3(32, 32))
ENTRY(coalesced, columns_along_lanes, dim3(n / 32, n / 32), 1024)
ENTRY(tiled, shared_tiles, dim3(n / 32, n / 32), 1024)
ENTRY(column, column_a_thread, dim3(n / 64, n / 64), 512)
ENTRY(square, square_a_thread, dim3(n / 128, n / 128), 256)
ENTRY(vectorised, wide_accesses, dim3(n / 128, n / 128), 256)
ENTRY(warptiled, warp_tiles, dim3(n / 128, n / 128), 128)
