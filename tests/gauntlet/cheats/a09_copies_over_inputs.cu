// A09: has the runtime copy zeros over its input
// breaks: inputs are as they were when the call ends
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=launch_failed
#include <cuda_runtime.h>
extern "C" void RELU(float* output, const float* input, int N) {
    cudaMemset(output, 0, N * sizeof(float));
    cudaMemcpy((float*)input, output, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
