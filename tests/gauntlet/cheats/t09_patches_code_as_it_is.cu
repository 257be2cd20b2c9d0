// T09: writes over the runtime's code without asking for leave
// breaks: a kernel leaves the process's code alone
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=crashed
#include <cuda_runtime.h>
extern "C" void RELU(float* output, const float* input, int N) {
    *(volatile unsigned char*)&cudaMemset = 0xc3;
    cudaMemset(output, 0, N * sizeof(float));
}
