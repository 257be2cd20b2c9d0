// row maxima and sums in scratch memory of the stream's pool, then the shares: two kernels
// gauntlet: operator=softmax precision=fp32 sets=check,real
#include <cuda_runtime.h>
__global__ void row_sums(const float* in, float2* sums, int columns) {
    const float* x = in + (size_t)blockIdx.x * columns;
    __shared__ float kept[256];
    float best = __int_as_float(0xff800000);
    for (int j = threadIdx.x; j < columns; j += 256) best = x[j] != x[j] ? x[j] : best != best ? best : fmaxf(best, x[j]);
    kept[threadIdx.x] = best;
    __syncthreads();
    for (int j = 0; j < 256; j++) best = kept[j] != kept[j] ? kept[j] : best != best ? best : fmaxf(best, kept[j]);
    __syncthreads();
    float sum = 0.0f;
    for (int j = threadIdx.x; j < columns; j += 256) sum += expf(x[j] - best);
    kept[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (threadIdx.x < half) kept[threadIdx.x] += kept[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = make_float2(best, kept[0]);
}
__global__ void shares(float* out, const float* in, const float2* sums, int columns) {
    float2 sum = sums[blockIdx.x];
    for (int j = threadIdx.x; j < columns; j += blockDim.x) {
        size_t at = (size_t)blockIdx.x * columns + j;
        out[at] = expf(in[at] - sum.x) / sum.y;
    }
}
extern "C" void softmax(float* out, const float* input, int N, int C, cudaStream_t stream) {
    float2* sums;
    cudaMallocAsync(&sums, N * sizeof(float2), stream);
    row_sums<<<N, 256, 0, stream>>>(input, sums, C);
    shares<<<N, 256, 0, stream>>>(out, input, sums, C);
    cudaFreeAsync(sums, stream);
}
