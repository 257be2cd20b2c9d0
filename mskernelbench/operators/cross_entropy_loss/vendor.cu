// vendor: CUB
#include "sums.cuh"

struct Term {
    const Value *X, *Y;
    __device__ float operator()(int i) const {
        float y = number(Y[i]);
        return y == 0.0f ? 0.0f : -y * logf(fmaxf(number(X[i]), 1e-8f));
    }
};

extern "C" void ENTRY(cross_entropy_loss)(float* loss, const Value* X, const Value* Y, int C, cudaStream_t stream) {
    sum_over(C, Term{X, Y}, loss, Scaled{1.0f}, stream);
}
