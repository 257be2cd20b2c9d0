// vendor: cuFFT
// links: cufft
// cuFFT takes real and imaginary parts side by side, in FP32: they are joined before and split after.
#include "entry.cuh"

#include <cufft.h>

__global__ void join_parts(const Value* real, const Value* imaginary, cufftComplex* joined, int N) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < N) joined[at] = {number(real[at]), number(imaginary[at])};
}

__global__ void split_parts(const cufftComplex* joined, Value* real, Value* imaginary, int N) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= N) return;
    real[at] = rounded(joined[at].x);
    imaginary[at] = rounded(joined[at].y);
}

// The plan of the last size: making one takes milliseconds. It holds nothing of a call's data.
inline cufftHandle plan_of(int N, cudaStream_t stream) {
    static cufftHandle plan;
    static int planned = 0;
    if (planned != N) {
        if (planned) cufftDestroy(plan);
        MUST(cufftPlan1d(&plan, N, CUFFT_C2C, 1));
        planned = N;
    }
    MUST(cufftSetStream(plan, stream));
    return plan;
}

extern "C" void ENTRY(FFT)(const Value* in_real, const Value* in_imag, Value* out_real, Value* out_imag, int N,
                           cudaStream_t stream) {
    Scratch joined(N * sizeof(cufftComplex), stream);
    int blocks = (N - 1) / 256 + 1;
    join_parts<<<blocks, 256, 0, stream>>>(in_real, in_imag, joined.as<cufftComplex>(), N);
    MUST(cufftExecC2C(plan_of(N, stream), joined.as<cufftComplex>(), joined.as<cufftComplex>(), CUFFT_FORWARD));
    split_parts<<<blocks, 256, 0, stream>>>(joined.as<cufftComplex>(), out_real, out_imag, N);
}
