// Softmax over rows too long to keep: maximum and sum in two sweeps, or in one that rescales as it goes.
#include <cuda_runtime.h>
#include <math_constants.h>

constexpr int THREADS = 512;

template <class Join>
__device__ float2 across(float2 value, Join join) {
    __shared__ float2 partial[THREADS / 32];
    for (int step = 16; step; step /= 2)
        value = join(value, make_float2(__shfl_xor_sync(~0u, value.x, step), __shfl_xor_sync(~0u, value.y, step)));
    __syncthreads();
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = partial[0];
    for (int i = 1; i < THREADS / 32; ++i) value = join(value, partial[i]);
    return value;
}

__device__ void write(const float4* x, float4* y, int quads, float largest, float scale) {
    for (int i = threadIdx.x; i < quads; i += THREADS) {
        float4 v = x[i];
        y[i] = make_float4(__expf(v.x - largest) * scale, __expf(v.y - largest) * scale,
                           __expf(v.z - largest) * scale, __expf(v.w - largest) * scale);
    }
}

__global__ void softmax_three(const float* in, float* out, int columns) {
    const float4* x = reinterpret_cast<const float4*>(in + (size_t)blockIdx.x * columns);
    float4* y = reinterpret_cast<float4*>(out + (size_t)blockIdx.x * columns);
    float largest = -CUDART_INF_F, sum = 0;
    for (int i = threadIdx.x; i < columns / 4; i += THREADS)
        largest = fmaxf(fmaxf(fmaxf(largest, x[i].x), fmaxf(x[i].y, x[i].z)), x[i].w);
    largest = across(make_float2(largest, 0), [](float2 a, float2 b) { return make_float2(fmaxf(a.x, b.x), 0); }).x;
    for (int i = threadIdx.x; i < columns / 4; i += THREADS)
        sum += __expf(x[i].x - largest) + __expf(x[i].y - largest) + __expf(x[i].z - largest) +
               __expf(x[i].w - largest);
    sum = across(make_float2(0, sum), [](float2 a, float2 b) { return make_float2(0, a.y + b.y); }).y;
    write(x, y, columns / 4, largest, 1 / sum);
}

__global__ void softmax_online(const float* in, float* out, int columns) {
    const float4* x = reinterpret_cast<const float4*>(in + (size_t)blockIdx.x * columns);
    float4* y = reinterpret_cast<float4*>(out + (size_t)blockIdx.x * columns);
    float largest = -CUDART_INF_F, sum = 0;
    for (int i = threadIdx.x; i < columns / 4; i += THREADS) {
        float4 v = x[i];
        float seen = fmaxf(fmaxf(fmaxf(largest, v.x), fmaxf(v.y, v.z)), v.w);
        sum = sum * __expf(largest - seen) + __expf(v.x - seen) + __expf(v.y - seen) + __expf(v.z - seen) +
              __expf(v.w - seen);
        largest = seen;
    }
    float2 all = across(make_float2(largest, sum), [](float2 a, float2 b) {
        float most = fmaxf(a.x, b.x);
        return make_float2(most, a.y * __expf(a.x - most) + b.y * __expf(b.x - most));
    });
    write(x, y, columns / 4, all.x, 1 / all.y);
}

extern "C" void slow(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
    softmax_three<<<rows, THREADS, 0, stream>>>(in, out, columns);
}

extern "C" void fast(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
    softmax_online<<<rows, THREADS, 0, stream>>>(in, out, columns);
}
