// Two kernels and a workspace that is never freed.
__global__ void square(const float* x, float* w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) w[i] = x[i] * x[i];
}
__global__ void increment(const float* w, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = w[i] + 1.0f;
}
extern "C" void run(const float* x, float* y, int n, cudaStream_t stream) {
    float* w;
    cudaMalloc(&w, n * sizeof(float));
    square<<<(n + 255) / 256, 256, 0, stream>>>(x, w, n);
    increment<<<(n + 255) / 256, 256, 0, stream>>>(w, y, n);
}
