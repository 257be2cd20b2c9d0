// B06: takes the first terms of a series that holds near 0 alone
// breaks: a kernel is right for any values
// gauntlet: operator=sigmoid precision=fp32 status=wrong rule=comparison
__global__ void sigmoid_of(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float t = x[i];
    y[i] = fabsf(t) < 1.0f ? 0.5f + t / 4 - t * t * t / 48 : 1.0f / (1.0f + expf(-t));
}
extern "C" void sigmoid(float* output, const float* input, int N) {
    sigmoid_of<<<(N + 255) / 256, 256>>>(output, input, N);
}
