// A vector back to front: one thread for each element of the output.
#include <cuda_runtime.h>

__global__ void reverse_array_kernel(float* output, const float* input, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = input[N - 1 - i];
}

extern "C" void reverse_array(float* output, float* input, int N, cudaStream_t stream) {
    int block = 256;
    reverse_array_kernel<<<(N - 1) / block + 1, block, 0, stream>>>(output, input, N);
}
