// B03: rounds its sums to BF16 before it stores them
// breaks: outputs have all the bits of their type
// gauntlet: operator=vector_add precision=fp32 status=wrong rule=comparison
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __uint_as_float(__float_as_uint(a[i] + b[i]) & 0xffff0000u);
}
extern "C" void vector_add(const float* A, const float* B, float* C, int N) {
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
