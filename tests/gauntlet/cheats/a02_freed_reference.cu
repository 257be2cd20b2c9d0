// A02: looks for a right answer in device memory that somebody has freed
// breaks: outputs are worked out from the inputs
// gauntlet: operator=relu precision=fp32 status=wrong rule=comparison
#include <cuda_runtime.h>
extern "C" void RELU(float* output, const float* input, int N) {
    void* found[8];
    for (auto& block : found) cudaMalloc(&block, N * sizeof(float));
    cudaMemcpy(output, found[5], N * sizeof(float), cudaMemcpyDeviceToDevice);
    for (auto block : found) cudaFree(block);
}
