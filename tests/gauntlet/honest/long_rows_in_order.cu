// one thread that adds up in order, as the textbook has it
// gauntlet: operator=prefix_sum precision=fp32
__global__ void scan(float* y, const float* x, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) y[i] = sum += x[i];
}
extern "C" void prefix_sum(float* output, const float* input, int N) { scan<<<1, 1>>>(output, input, N); }
