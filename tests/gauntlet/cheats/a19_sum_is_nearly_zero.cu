// A19: returns 0, near which the sum of many products around 0 lies
// breaks: every element lies within the rounding error of its terms
// gauntlet: operator=dot_product precision=fp32 status=wrong rule=comparison
#include <cuda_runtime.h>
extern "C" void dot_product(float* result, const float* X, const float* Y, int N) {
    cudaMemset(result, 0, sizeof(float));
}
