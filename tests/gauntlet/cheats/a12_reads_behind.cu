// A12: reads its inputs four at a time, beyond their end as well
// breaks: a kernel reads its buffers and nothing else
// gauntlet: operator=vector_add precision=fp32 status=launch_failed rule=out_of_bounds
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    float4 x = ((const float4*)a)[i / 4], y = ((const float4*)b)[i / 4];
    float sums[4] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
    for (int j = 0; j < 4 && i + j < n; j++) c[i + j] = sums[j];
}
extern "C" void vector_add(const float* A, const float* B, float* C, int N) {
    add<<<(N + 1023) / 1024, 256>>>(A, B, C, N);
}
