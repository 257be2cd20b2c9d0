// Softmax over rows: a thread a row, and a block a row with the row in registers.
#include <cuda_runtime.h>
#include <math_constants.h>

__global__ void softmax_thread(const float* in, float* out, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* x = in + (size_t)row * columns;
    float* y = out + (size_t)row * columns;
    float largest = -CUDART_INF_F, sum = 0;
    for (int j = 0; j < columns; ++j) largest = fmaxf(largest, x[j]);
    for (int j = 0; j < columns; ++j) sum += __expf(x[j] - largest);
    for (int j = 0; j < columns; ++j) y[j] = __expf(x[j] - largest) / sum;
}

__device__ float reduce(float value, bool largest) {
    __shared__ float partial[8];
    for (int step = 16; step; step /= 2) {
        float other = __shfl_xor_sync(~0u, value, step);
        value = largest ? fmaxf(value, other) : value + other;
    }
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = partial[0];
    for (int i = 1; i < 8; ++i) value = largest ? fmaxf(value, partial[i]) : value + partial[i];
    __syncthreads();
    return value;
}

// 256 threads, 4096 columns.
__global__ void softmax_block(const float* in, float* out, int rows, int columns) {
    const float4* x = reinterpret_cast<const float4*>(in + (size_t)blockIdx.x * columns);
    float4* y = reinterpret_cast<float4*>(out + (size_t)blockIdx.x * columns);
    float4 own[4];
    float largest = -CUDART_INF_F, sum = 0;
    for (int i = 0; i < 4; ++i) {
        own[i] = x[threadIdx.x + 256 * i];
        largest = fmaxf(fmaxf(fmaxf(largest, own[i].x), fmaxf(own[i].y, own[i].z)), own[i].w);
    }
    largest = reduce(largest, true);
    for (int i = 0; i < 4; ++i) {
        own[i] = make_float4(__expf(own[i].x - largest), __expf(own[i].y - largest),
                             __expf(own[i].z - largest), __expf(own[i].w - largest));
        sum += own[i].x + own[i].y + own[i].z + own[i].w;
    }
    float scale = 1.0f / reduce(sum, false);
    for (int i = 0; i < 4; ++i)
        y[threadIdx.x + 256 * i] =
            make_float4(own[i].x * scale, own[i].y * scale, own[i].z * scale, own[i].w * scale);
}

extern "C" void fast(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
    softmax_block<<<rows, 256, 0, stream>>>(in, out, rows, columns);
}

extern "C" void slow(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
    softmax_thread<<<(rows + 255) / 256, 256, 0, stream>>>(in, out, rows, columns);
}
