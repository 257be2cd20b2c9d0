// vendor: CUB
#include "sums.cuh"

struct Panel {
    const Value* y;
    __device__ float operator()(int panel) const {
        size_t i = 2 * (size_t)panel;
        return number(y[i]) + 4.0f * number(y[i + 1]) + number(y[i + 2]);
    }
};

extern "C" void ENTRY(simpson_int)(const Value* y, Value* result, float a, float b, int N, cudaStream_t stream) {
    sum_over((N - 1) / 2, Panel{y}, result, ScaledValue{(b - a) / (N - 1) / 3.0f}, stream);
}
