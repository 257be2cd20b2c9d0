// A06: writes NaN, which compares as neither too small nor too large
// breaks: a NaN stands where the answer is NaN and nowhere else
// gauntlet: operator=relu precision=fp32 status=wrong rule=comparison
__global__ void fill(float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __int_as_float(0x7fffffff);
}
extern "C" void RELU(float* output, const float* input, int N) { fill<<<(N + 255) / 256, 256>>>(output, N); }
