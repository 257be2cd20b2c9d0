// Layer normalisation over rows of 1024: mean, variance and scaling in three kernels, and in one.
#include <cuda_runtime.h>

constexpr int THREADS = 256, COLUMNS = 4 * THREADS, ROWS = 1 << 16;
__device__ float means[ROWS], scales[ROWS];

__device__ float total(float value) {
    __shared__ float partial[THREADS / 32];
    for (int step = 16; step; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    __syncthreads();
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < THREADS / 32; ++i) sum += partial[i];
    return sum;
}

__device__ float4 own_part(const float* in) {
    return reinterpret_cast<const float4*>(in)[(size_t)blockIdx.x * THREADS + threadIdx.x];
}

__device__ float squares(float4 v, float mean) {
    return (v.x - mean) * (v.x - mean) + (v.y - mean) * (v.y - mean) + (v.z - mean) * (v.z - mean) +
           (v.w - mean) * (v.w - mean);
}

__device__ void write(float* out, float4 v, float mean, float scale) {
    reinterpret_cast<float4*>(out)[(size_t)blockIdx.x * THREADS + threadIdx.x] = make_float4(
        (v.x - mean) * scale, (v.y - mean) * scale, (v.z - mean) * scale, (v.w - mean) * scale);
}

__global__ void find_means(const float* in) {
    float4 v = own_part(in);
    float mean = total(v.x + v.y + v.z + v.w) / COLUMNS;
    if (threadIdx.x == 0) means[blockIdx.x] = mean;
}

__global__ void find_scales(const float* in) {
    float scale = rsqrtf(total(squares(own_part(in), means[blockIdx.x])) / COLUMNS + 1e-5f);
    if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

__global__ void apply(const float* in, float* out) {
    write(out, own_part(in), means[blockIdx.x], scales[blockIdx.x]);
}

__global__ void at_once(const float* in, float* out) {
    float4 v = own_part(in);
    float mean = total(v.x + v.y + v.z + v.w) / COLUMNS;
    write(out, v, mean, rsqrtf(total(squares(v, mean)) / COLUMNS + 1e-5f));
}

extern "C" void slow(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
    find_means<<<rows, THREADS, 0, stream>>>(in);
    find_scales<<<rows, THREADS, 0, stream>>>(in);
    apply<<<rows, THREADS, 0, stream>>>(in, out);
}

extern "C" void fast(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
    at_once<<<rows, THREADS, 0, stream>>>(in, out);
}
