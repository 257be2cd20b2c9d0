// a table in constant memory that is written when the module is loaded
// gauntlet: operator=relu precision=fp32
__constant__ float factors[2] = {0.0f, 1.0f};
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > factors[0] ? x[i] * factors[1] : 0.0f;
}
extern "C" void RELU(float* output, const float* input, int N) { relu<<<(N + 255) / 256, 256>>>(output, input, N); }
