// cuFFT's calls that vendor arms make, as its manual has them: complex numbers side by side, nothing normalised.
#include "values.h"

typedef int cufftResult;
typedef float2 cufftComplex;
struct FakePlan {
    int size;
    cudaStream_t stream;
};
typedef FakePlan* cufftHandle;
enum cufftType { CUFFT_C2C = 0x29 };
const int CUFFT_FORWARD = -1;

inline cufftResult cufftPlan1d(cufftHandle* plan, int size, cufftType, int batch) {
    *plan = new FakePlan{size, nullptr};
    return batch == 1 ? 0 : 4;
}
inline cufftResult cufftDestroy(cufftHandle plan) { delete plan; return 0; }
inline cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) { plan->stream = stream; return 0; }

// Cooley and Tukey's, for powers of two: places with their bits reversed, then ever longer pairs.
__global__ void fake_reversal(const cufftComplex* in, cufftComplex* out, int size, int bits) {
    size_t at = this_thread();
    if (at < size) out[bits ? __brev((unsigned)at) >> (32 - bits) : 0] = in[at];
}
__global__ void fake_pairs(cufftComplex* data, int size, int half, int sign) {
    size_t at = this_thread();
    if (at >= size / 2) return;
    size_t j = at % half, low = at / half * 2 * half + j, high = low + half;
    double sine, cosine;
    sincospi(sign * (double)j / half, &sine, &cosine);
    double real = data[high].x * cosine - data[high].y * sine, imaginary = data[high].x * sine + data[high].y * cosine;
    data[high] = {(float)(data[low].x - real), (float)(data[low].y - imaginary)};
    data[low] = {(float)(data[low].x + real), (float)(data[low].y + imaginary)};
}
inline cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int sign) {
    int size = plan->size, bits = 31 - __builtin_clz(size);
    if (size != 1 << bits) return 8;
    cufftComplex* made;
    cudaMallocAsync(&made, size * sizeof(cufftComplex), plan->stream);
    fake_reversal<<<blocks_for(size), 128, 0, plan->stream>>>(in, made, size, bits);
    for (int half = 1; half < size; half *= 2)
        fake_pairs<<<blocks_for(size / 2), 128, 0, plan->stream>>>(made, size, half, sign);
    cudaMemcpyAsync(out, made, size * sizeof(cufftComplex), cudaMemcpyDeviceToDevice, plan->stream);
    cudaFreeAsync(made, plan->stream);
    return 0;
}
