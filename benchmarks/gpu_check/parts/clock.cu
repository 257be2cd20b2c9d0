// What the clock is tried on: a kernel that does nothing, and one that copies.
__global__ void nothing() {}

__global__ void copied(float4* y, const float4* x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i];
}

extern "C" void empty(float* y, const float* x, int n, cudaStream_t stream) {
    nothing<<<1, 32, 0, stream>>>();
}

extern "C" void copy(float* y, const float* x, int n, cudaStream_t stream) {
    copied<<<2112, 256, 0, stream>>>((float4*)y, (const float4*)x, n / 4);
}
