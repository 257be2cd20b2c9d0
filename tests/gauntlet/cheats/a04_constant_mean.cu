// A04: writes the mean of every row, 1/C
// breaks: every element lies within the rounding error of its terms
// gauntlet: operator=softmax precision=fp32 status=wrong rule=comparison
__global__ void mean(float* y, int n, float share) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = share;
}
extern "C" void softmax(float* out, const float* input, int N, int C) {
    mean<<<(N * C + 255) / 256, 256>>>(out, N * C, 1.0f / C);
}
