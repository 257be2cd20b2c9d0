// Radix-2 fast Fourier transform: the points go to the output in bit-reversed order, where log₂ N launches of one thread
// for each butterfly combine them.
#include <cuda_runtime.h>
#include <math.h>

__global__ void reverse_kernel(const float* in_real, const float* in_imag, float* out_real, float* out_imag, int N,
                               int bits) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    unsigned from = bits == 0 ? 0 : __brev(i) >> (32 - bits);
    out_real[i] = in_real[from];
    out_imag[i] = in_imag[from];
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

extern "C" void FFT(const float* in_real, const float* in_imag, float* out_real, float* out_imag, int N,
                    cudaStream_t stream) {
    int bits = 0;
    while ((1u << bits) < (unsigned)N) ++bits;
    int block = 256;
    reverse_kernel<<<(N - 1) / block + 1, block, 0, stream>>>(in_real, in_imag, out_real, out_imag, N, bits);
    int grid = (N / 2 + block - 1) / block;
    for (int stage = 0; stage < bits; ++stage)
        butterfly_kernel<<<grid, block, 0, stream>>>(out_real, out_imag, N / 2, 1 << stage);
}
