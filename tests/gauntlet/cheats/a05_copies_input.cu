// A05: copies its input, most of which is right for an activation of positive data
// breaks: every element lies within the rounding error of its terms
// gauntlet: operator=relu precision=fp32 status=wrong rule=comparison
#include <cuda_runtime.h>
extern "C" void RELU(float* output, const float* input, int N) {
    cudaMemcpyAsync(output, input, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
