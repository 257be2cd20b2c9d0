// TF32 tensor cores with every number in three terms: as exact as FP32
// gauntlet: operator=matrix_mul precision=fp32
__device__ float cut(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000u); }
__device__ unsigned bits(float x) { return __float_as_uint(x); }
__device__ void multiply(float (&d)[4], const float (&x)[4], const float (&y)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(bits(x[0])), "r"(bits(x[1])), "r"(bits(x[2])), "r"(bits(x[3])), "r"(bits(y[0])), "r"(bits(y[1])));
}
template <int count>
__device__ void split(const float (&x)[count], float (&terms)[3][count]) {
    for (int i = 0; i < count; i++) {
        terms[0][i] = cut(x[i]);
        float rest = isfinite(x[i]) ? x[i] - terms[0][i] : 0.0f;
        terms[1][i] = cut(rest);
        terms[2][i] = rest - terms[1][i];
    }
}
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
        float p[3][4], q[3][2];
        split(x, p), split(y, q);
        float small[4] = {};
        for (int order = 2; order > 0; order--)
            for (int i = 0; i <= order; i++) multiply(small, p[i], q[order - i]);
        multiply(d, p[0], q[0]);
        for (int i = 0; i < 4; i++) d[i] += small[i];
    }
    for (int i = 0; i < 4; i++) {
        int r = row + group + 8 * (i / 2), s = column + 2 * pair + i % 2;
        if (r < m && s < n) c[r * n + s] = d[i];
    }
}
extern "C" void matrix_mul(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
    gemm<<<dim3((N + 7) / 8, (M + 15) / 16), 32, 0, stream>>>(A, B, C, M, N, K);
}
