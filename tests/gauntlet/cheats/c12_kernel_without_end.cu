// C12: leaves a kernel running that waits for a flag in device memory
// breaks: a call's work ends with the call
// gauntlet: operator=relu precision=fp32 status=launch_failed rule=deadlock
__device__ volatile int more;
__global__ void serve(float* y, const float* x, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = fmaxf(0.0f, x[i]);
    while (!more) {}
}
extern "C" void RELU(float* output, const float* input, int N) { serve<<<1, 256>>>(output, input, N); }
