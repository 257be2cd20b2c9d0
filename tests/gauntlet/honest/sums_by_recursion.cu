// sums by recursion, virtual functions and function pointers
// gauntlet: operator=simpson_int precision=fp32
#include <cuda_runtime.h>
#include <new>
struct Rule { __device__ virtual double weight(int i, int n) const = 0; __device__ virtual ~Rule() {} };
struct Simpson final : Rule { __device__ double weight(int i, int n) const override { return i == 0 || i == n - 1 ? 1. : i % 2 ? 4. : 2.; } };
struct Trapezoid final : Rule { __device__ double weight(int i, int n) const override { return i == 0 || i == n - 1 ? .5 : 1.; } };
using Fold = double (*)(double, double);
__device__ __noinline__ double plus(double a, double b) { return a + b; }
__device__ __noinline__ double times(double a, double b) { return a * b; }
__device__ double pairwise(const float* y, const Rule& rule, int from, int to, int n, Fold fold) {
    if (to - from <= 8) { double s = 0; for (int i = from; i < to; ++i) s = fold(s, rule.weight(i, n) * (double)y[i]); return s; }
    int half = (from + to) / 2;
    return fold(pairwise(y, rule, from, half, n, fold), pairwise(y, rule, half, to, n, fold));
}
__global__ void integrate(const float* y, double* part, int n, int which) {
    __shared__ alignas(16) char place[64]; __shared__ double s[128];
    if (threadIdx.x == 0) { if (which) new (place) Simpson; else new (place) Trapezoid; }
    __syncthreads();
    const Rule* rule = reinterpret_cast<const Rule*>(place); Fold fold = which ? plus : times;
    long long all = (long long)gridDim.x * 128, me = blockIdx.x * 128 + threadIdx.x; __int128 wide = (__int128)n * me; int from = (int)(wide / all), to = (int)((__int128)n * (me + 1) / all);
    s[threadIdx.x] = from < to ? pairwise(y, *rule, from, to, n, fold) : 0.;
    __syncthreads();
    if (threadIdx.x == 0) { double t = 0; for (double v : s) t += v; part[blockIdx.x] = t; }
}
__global__ void finish(float* result, const double* part, int blocks, double h) { double t = 0; for (int i = 0; i < blocks; ++i) t += part[i]; *result = (float)(t * h / 3.); }
extern "C" void simpson_int(const float* y, float* result, float a, float b, int N, cudaStream_t stream) {
    int panels = (N - 1) / 2, n = 2 * panels + 1, blocks = min(64, (n + 1023) / 1024); if (!panels) return;
    double* part; cudaMallocAsync((void**)&part, blocks * 8, stream);
    integrate<<<blocks, 128, 0, stream>>>(y, part, n, 1);
    finish<<<1, 1, 0, stream>>>(result, part, blocks, ((double)b - (double)a) / (double)(N - 1));
    cudaFreeAsync(part, stream);
}
