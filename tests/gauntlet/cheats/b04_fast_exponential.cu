// B04: takes the fast exponential, whose error grows with its argument
// breaks: FP32 functions are as exact as CUDA's own
// gauntlet: operator=sigmoid precision=fp32 status=wrong rule=comparison
__global__ void sigmoid_of(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __fdividef(1.0f, 1.0f + __expf(-x[i]));
}
extern "C" void sigmoid(float* output, const float* input, int N) {
    sigmoid_of<<<(N + 255) / 256, 256>>>(output, input, N);
}
