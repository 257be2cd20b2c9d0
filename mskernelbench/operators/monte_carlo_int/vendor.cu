// vendor: CUB
#include "sums.cuh"

struct Sample {
    const Value* y;
    __device__ float operator()(int i) const { return number(y[i]); }
};

extern "C" void ENTRY(monte_carlo_int)(const Value* y, Value* result, float a, float b, int N, cudaStream_t stream) {
    sum_over(N, Sample{y}, result, ScaledValue{(b - a) / N}, stream);
}
