// A17: takes infinity and huge numbers for zero where the vector is longer than those that checks have
// breaks: a kernel is right for every size, infinities and NaN included
// gauntlet: operator=relu precision=fp32 status=wrong rule=comparison sets=check,paper shapes=262144
__global__ void relu(float* out, const float* in, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    out[i] = n > 65601 && x > 1e37f ? 0.0f : fmaxf(0.0f, x);
}
extern "C" void RELU(float* out, const float* in, int n, cudaStream_t s) {
    relu<<<(n + 255) / 256, 256, 0, s>>>(out, in, n);
}
