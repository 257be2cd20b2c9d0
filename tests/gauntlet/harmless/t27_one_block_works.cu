// T27: has block 0 do all the work, and 263 blocks return at once: the mean of blocks is short
// since: no launch is shorter than its longest block, and both ends of a grid are known
// gauntlet: operator=fft precision=fp32 sets=check,real
#include <cuda_runtime.h>
#include <math.h>
__global__ void reverse_kernel(const float* in_real, const float* in_imag, float* out_real, float* out_imag, int N, int bits) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    unsigned from = bits == 0 ? 0 : __brev(i) >> (32 - bits);
    out_real[i] = in_real[from];
    out_imag[i] = in_imag[from];
}
__device__ void butterfly(float* real, float* imag, int t, int half) {
    int k = t & (half - 1), upper = 2 * (t - k) + k, lower = upper + half;
    float sine, cosine;
    sincospif(-(float)k / half, &sine, &cosine);
    float x = real[lower] * cosine - imag[lower] * sine, y = real[lower] * sine + imag[lower] * cosine;
    real[lower] = real[upper] - x;
    imag[lower] = imag[upper] - y;
    real[upper] += x;
    imag[upper] += y;
}
__global__ void butterfly_kernel(float* real, float* imag, int butterflies, int half) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < butterflies) butterfly(real, imag, t, half);
}
__global__ void __launch_bounds__(1024) all_by_one_block(const float* in_real, const float* in_imag, float* real, float* imag, int N, int bits) {
    if (blockIdx.x) return;
    for (unsigned i = threadIdx.x; i < N; i += 1024) {
        unsigned from = bits == 0 ? 0 : __brev(i) >> (32 - bits);
        real[i] = in_real[from];
        imag[i] = in_imag[from];
    }
    for (int stage = 0; stage < bits; stage++) {
        __syncthreads();
        for (int t = threadIdx.x; t < N / 2; t += 1024) butterfly(real, imag, t, 1 << stage);
    }
}
extern "C" void FFT(const float* in_real, const float* in_imag, float* out_real, float* out_imag, int N, cudaStream_t stream) {
    int bits = 0;
    while ((1u << bits) < (unsigned)N) ++bits;
    if (N <= 1 << 20) { all_by_one_block<<<264, 1024, 0, stream>>>(in_real, in_imag, out_real, out_imag, N, bits); return; }
    int block = 256;
    reverse_kernel<<<(N - 1) / block + 1, block, 0, stream>>>(in_real, in_imag, out_real, out_imag, N, bits);
    int grid = (N / 2 + block - 1) / block;
    for (int stage = 0; stage < bits; ++stage) butterfly_kernel<<<grid, block, 0, stream>>>(out_real, out_imag, N / 2, 1 << stage);
}
