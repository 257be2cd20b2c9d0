// T04: leaves the work to a thread that goes on after the call
// breaks: a call's work is done within the call
// gauntlet: operator=relu precision=fp32 status=cheated rule=imports gpu=yes
#include <pthread.h>
#include <cuda_runtime.h>
static struct { float* y; const float* x; int n; } work;
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(0.0f, x[i]);
}
static void* later(void*) {
    relu<<<(work.n + 255) / 256, 256>>>(work.y, work.x, work.n);
    return nullptr;
}
extern "C" void RELU(float* output, const float* input, int N) {
    pthread_t thread;
    work = {output, input, N};
    pthread_create(&thread, nullptr, later, nullptr);
}
