// A06: ends in infinities, against which a relative error is NaN
// breaks: an infinity stands where the answer is that infinity and nowhere else
// gauntlet: operator=relu precision=fp32 status=wrong rule=comparison
__global__ void relu(float* y, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = i < n - 3 ? fmaxf(0.0f, x[i]) : __int_as_float(0x7f800000);
}
extern "C" void RELU(float* output, const float* input, int N) {
    relu<<<(N + 255) / 256, 256>>>(output, input, N);
}
