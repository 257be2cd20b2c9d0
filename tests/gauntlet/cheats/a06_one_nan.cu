// A06: is right but for one NaN in the middle
// breaks: a NaN stands where the answer is NaN and nowhere else
// gauntlet: operator=vector_add precision=fp32 status=wrong rule=comparison
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = i == n / 2 ? __int_as_float(0x7fffffff) : a[i] + b[i];
}
extern "C" void vector_add(const float* A, const float* B, float* C, int N) {
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
