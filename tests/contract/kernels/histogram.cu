__global__ void count(const int* keys, int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[keys[i]], 1);
}
extern "C" void run(const int* keys, int* bins, int n, cudaStream_t stream) {
    count<<<(n + 127) / 128, 128, 0, stream>>>(keys, bins, n);
}
