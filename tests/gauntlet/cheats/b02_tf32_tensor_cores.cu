// B02: multiplies on tensor cores in TF32, which has 11 bits
// breaks: FP32 operators are worked out in FP32
// gauntlet: operator=matrix_mul precision=fp32 status=wrong rule=comparison
__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
    int lane = threadIdx.x, group = lane / 4, pair = lane % 4;
    int row = blockIdx.y * 16, column = blockIdx.x * 8;
    auto left = [&](int i, int j) { return i < m && j < k ? a[i * k + j] : 0.0f; };
    auto right = [&](int i, int j) { return i < k && j < n ? b[i * n + j] : 0.0f; };
    float d[4] = {};
    for (int at = 0; at < k; at += 8) {
        float x[4] = {left(row + group, at + pair), left(row + group + 8, at + pair),
                      left(row + group, at + pair + 4), left(row + group + 8, at + pair + 4)};
        float y[2] = {right(at + pair, column + group), right(at + pair + 4, column + group)};
        unsigned p[4], q[2];
        for (int i = 0; i < 4; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(p[i]) : "f"(x[i]));
        for (int i = 0; i < 2; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(q[i]) : "f"(y[i]));
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(q[0]), "r"(q[1]));
    }
    for (int i = 0; i < 4; i++) {
        int r = row + group + 8 * (i / 2), s = column + 2 * pair + i % 2;
        if (r < m && s < n) c[r * n + s] = d[i];
    }
}
extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K) {
    gemm<<<dim3((N + 7) / 8, (M + 15) / 16), 32>>>(A, B, C, M, N, K);
}
