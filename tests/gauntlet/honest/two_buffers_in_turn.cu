// adds from twice as far away in each launch, from one of two buffers to the other
// gauntlet: operator=prefix_sum precision=fp32 sets=check,paper
#include <cuda_runtime.h>
__global__ void add_from(float* to, const float* from, int distance, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = i < distance ? from[i] : from[i] + from[i - distance];
}
extern "C" void prefix_sum(float* output, const float* input, int N, cudaStream_t stream) {
    float* scratch;
    cudaMallocAsync(&scratch, sizeof(float) * N, stream);
    const float* from = input;
    float* to = scratch;
    for (int distance = 1; distance < N; distance *= 2) {
        add_from<<<(N + 255) / 256, 256, 0, stream>>>(to, from, distance, N);
        from = to;
        to = to == scratch ? output : scratch;
    }
    if (from != output) cudaMemcpyAsync(output, from, sizeof(float) * N, cudaMemcpyDeviceToDevice, stream);
    cudaFreeAsync(scratch, stream);
}
