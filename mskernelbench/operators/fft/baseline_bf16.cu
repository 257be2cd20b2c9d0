// Radix-2 fast Fourier transform of BF16 points: they go in bit-reversed order to FP32 scratch memory, where log₂ N
// launches of one thread for each butterfly combine them; a last launch rounds them once.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

__global__ void reverse_kernel(float* real, float* imag, const __nv_bfloat16* in_real, const __nv_bfloat16* in_imag,
                               int N, int bits) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    unsigned from = bits == 0 ? 0 : __brev(i) >> (32 - bits);
    real[i] = __bfloat162float(in_real[from]);
    imag[i] = __bfloat162float(in_imag[from]);
}

__global__ void butterfly_kernel(float* real, float* imag, int butterflies, int half) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= butterflies) return;
    int k = t & (half - 1);    // place within a group of 2·half points
    int upper = 2 * (t - k) + k, lower = upper + half;
    float sine, cosine;
    sincospif(-(float)k / half, &sine, &cosine);
    float x = real[lower] * cosine - imag[lower] * sine;
    float y = real[lower] * sine + imag[lower] * cosine;
    real[lower] = real[upper] - x;
    imag[lower] = imag[upper] - y;
    real[upper] += x;
    imag[upper] += y;
}

__global__ void round_kernel(__nv_bfloat16* out_real, __nv_bfloat16* out_imag, const float* real, const float* imag,
                             int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    out_real[i] = __float2bfloat16(real[i]);
    out_imag[i] = __float2bfloat16(imag[i]);
}

extern "C" void FFT_bf16(const __nv_bfloat16* in_real, const __nv_bfloat16* in_imag, __nv_bfloat16* out_real,
                         __nv_bfloat16* out_imag, int N, cudaStream_t stream) {
    float* real;
    if (cudaMallocAsync(&real, 2 * (size_t)N * sizeof(float), stream) != cudaSuccess) return;
    float* imag = real + N;
    int bits = 0;
    while ((1u << bits) < (unsigned)N) ++bits;
    int block = 256;
    int grid = (N - 1) / block + 1;
    reverse_kernel<<<grid, block, 0, stream>>>(real, imag, in_real, in_imag, N, bits);
    for (int stage = 0; stage < bits; ++stage)
        butterfly_kernel<<<(N / 2 + block - 1) / block, block, 0, stream>>>(real, imag, N / 2, 1 << stage);
    round_kernel<<<grid, block, 0, stream>>>(out_real, out_imag, real, imag, N);
    cudaFreeAsync(real, stream);
}
