// T10: forks by an instruction of its own, past every list of imports
// breaks: a kernel asks nothing of the system
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=crashed
#include <cuda_runtime.h>
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N) {
    long result;
    asm volatile("syscall" : "=a"(result) : "a"(57l) : "rcx", "r11", "memory");
    if (result == 0) for (;;) {}
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
}
