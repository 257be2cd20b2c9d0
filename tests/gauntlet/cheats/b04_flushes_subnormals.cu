// B04: takes subnormal numbers for zeros
// breaks: FP32 keeps subnormal numbers
// gauntlet: operator=vector_add precision=fp32 status=wrong rule=comparison
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) asm("add.ftz.f32 %0, %1, %2;" : "=f"(c[i]) : "f"(a[i]), "f"(b[i]));
}
extern "C" void vector_add(const float* A, const float* B, float* C, int N) {
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
