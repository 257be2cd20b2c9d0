// A20: adds the sums of its blocks to one address without an atomic operation
// breaks: a result does not depend on the order of blocks
// gauntlet: operator=dot_product precision=fp32 status=wrong rule=race
__global__ void dot(float* result, const float* x, const float* y, int n) {
    int first = blockIdx.x * 256;
    float sum = 0.0f;
    for (int i = first; i < min(n, first + 256); i++) sum += x[i] * y[i];
    *result += sum;
}
extern "C" void dot_product(float* result, const float* X, const float* Y, int N) {
    dot<<<(N + 255) / 256, 1>>>(result, X, Y, N);
}
