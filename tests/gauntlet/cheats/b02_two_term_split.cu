// B02: splits A into two TF32 terms and B into one: more bits than TF32, fewer than FP32
// breaks: FP32 operators are worked out in FP32
// gauntlet: operator=matrix_mul precision=fp32 status=wrong rule=comparison
__device__ float tf32(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
}
__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    float sum = 0.0f;
    for (int j = 0; j < k; j++) {
        float x = a[i / n * k + j], y = tf32(b[j * n + i % n]), high = tf32(x);
        sum += high * y + tf32(x - high) * y;
    }
    c[i] = sum;
}
extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K) {
    gemm<<<(M * N + 127) / 128, 128>>>(A, B, C, M, N, K);
}
