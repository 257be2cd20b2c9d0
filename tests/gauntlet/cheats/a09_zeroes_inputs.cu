// A09: clears its inputs, so that a reference worked out later agrees with zero
// breaks: inputs are as they were when the call ends
// gauntlet: operator=dot_product precision=fp32 status=launch_failed rule=input_written
__global__ void clear(float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = y[i] = 0.0f;
}
extern "C" void dot_product(float* result, const float* X, const float* Y, int N) {
    clear<<<(N + 255) / 256, 256>>>((float*)X, (float*)Y, N);
}
