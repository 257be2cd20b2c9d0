// A12: adds up shared memory of which threads beyond the end have written nothing
// breaks: memory is written before it is read
// gauntlet: operator=dot_product precision=fp32 status=wrong rule=comparison
__global__ void dot(float* result, const float* x, const float* y, int n) {
    __shared__ float products[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) products[threadIdx.x] = x[i] * y[i];
    __syncthreads();
    if (threadIdx.x) return;
    float sum = 0.0f;
    for (int j = 0; j < 256; j++) sum += products[j];
    atomicAdd(result, sum);
}
extern "C" void dot_product(float* result, const float* X, const float* Y, int N) {
    dot<<<(N + 255) / 256, 256>>>(result, X, Y, N);
}
