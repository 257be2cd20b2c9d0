// A07: adds whole groups of four and forgets what is left over
// breaks: a call writes every element of its outputs
// gauntlet: operator=vector_add precision=fp32 status=wrong rule=unwritten_output
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 4 <= n)
        for (int j = i; j < i + 4; j++) c[j] = a[j] + b[j];
}
extern "C" void vector_add(const float* A, const float* B, float* C, int N) {
    add<<<(N + 1023) / 1024, 256>>>(A, B, C, N);
}
