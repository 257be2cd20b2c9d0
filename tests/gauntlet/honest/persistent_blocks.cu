// as many blocks as are resident at a time, each of which takes every so many stretches of the vector
// gauntlet: operator=relu precision=fp32 sets=check,real
__global__ void relu(float* y, const float* x, int n) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] = fmaxf(0.0f, x[i]);
}
extern "C" void RELU(float* output, const float* input, int N, cudaStream_t stream) {
    int blocks = min((N + 255) / 256, 8 * 132);
    relu<<<blocks, 256, 0, stream>>>(output, input, N);
}
