// A17: takes exponentials of numbers as they are, which overflow above 88
// breaks: a kernel is right for any values
// gauntlet: operator=softmax precision=fp32 status=wrong rule=comparison
__global__ void softmax_rows(float* out, const float* in, int columns) {
    const float* x = in + (size_t)blockIdx.x * columns;
    float sum = 0.0f;
    for (int j = 0; j < columns; j++) sum += expf(x[j]);
    for (int j = threadIdx.x; j < columns; j += blockDim.x) out[(size_t)blockIdx.x * columns + j] = expf(x[j]) / sum;
}
extern "C" void softmax(float* out, const float* input, int N, int C) { softmax_rows<<<N, 128>>>(out, input, C); }
