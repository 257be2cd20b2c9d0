// four at a time where addresses allow it, one at a time at the end
// gauntlet: operator=vector_add precision=fp32
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    bool aligned = ((unsigned long)a | (unsigned long)b | (unsigned long)c) % 16 == 0;
    if (aligned && i + 4 <= n) {
        float4 x = *(const float4*)(a + i), y = *(const float4*)(b + i);
        *(float4*)(c + i) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
        return;
    }
    for (int j = i; j < min(n, i + 4); j++) c[j] = a[j] + b[j];
}
extern "C" void vector_add(const float* A, const float* B, float* C, int N, cudaStream_t stream) {
    add<<<(N + 1023) / 1024, 256, 0, stream>>>(A, B, C, N);
}
