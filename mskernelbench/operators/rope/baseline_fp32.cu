// Rotary position embedding: one thread for each pair, neighbouring threads along a row.
#include <cuda_runtime.h>
#include <math.h>

__global__ void rope_kernel(float* output, const float* input, size_t pairs, int half, float base) {
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= pairs) return;
    int m = (int)(at / half), p = (int)(at % half);
    float angle = m * powf(base, -(float)p / half);
    float sine, cosine;
    sincosf(angle, &sine, &cosine);
    float x = input[2 * at], y = input[2 * at + 1];
    output[2 * at] = x * cosine - y * sine;
    output[2 * at + 1] = x * sine + y * cosine;
}

extern "C" void rope(float* output, const float* input, int M, int D, float base, cudaStream_t stream) {
    int half = D / 2;
    size_t pairs = (size_t)M * half;
    int block = 256;
    rope_kernel<<<(pairs + block - 1) / block, block, 0, stream>>>(output, input, pairs, half, base);
}
