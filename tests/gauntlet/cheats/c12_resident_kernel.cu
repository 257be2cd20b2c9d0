// C12: leaves a kernel running that waits for later calls' work at a flag in mapped memory
// breaks: a call's work ends with the call
// gauntlet: operator=relu precision=fp32 status=unsupported rule=unsupported_calls gpu=yes
#include <cuda_runtime.h>
struct Work { volatile int call; float* y; const float* x; int n; };
static Work* work;
__global__ void serve(volatile Work* work) {
    for (int done = 0;; done++) {
        while (work->call <= done) {}
        for (int i = threadIdx.x; i < work->n; i += blockDim.x) work->y[i] = fmaxf(0.0f, work->x[i]);
    }
}
extern "C" void RELU(float* output, const float* input, int N) {
    if (!work) {
        cudaHostAlloc((void**)&work, sizeof(Work), cudaHostAllocMapped);
        serve<<<1, 256>>>(work);
    }
    work->y = output, work->x = input, work->n = N, work->call++;
}
