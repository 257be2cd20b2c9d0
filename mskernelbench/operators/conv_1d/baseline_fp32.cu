// Valid cross-correlation of a signal: one thread for each output.
#include <cuda_runtime.h>

__global__ void conv_1d_kernel(const float* input, const float* kernel, float* output, int outputs, int taps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outputs) return;
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k) sum += input[i + k] * kernel[k];
    output[i] = sum;
}

extern "C" void conv_1d(const float* input, const float* kernel, float* output, int input_size, int kernel_size,
                        cudaStream_t stream) {
    int outputs = input_size - kernel_size + 1;
    int block = 256;
    int grid = (outputs - 1) / block + 1;
    conv_1d_kernel<<<grid, block, 0, stream>>>(input, kernel, output, outputs, kernel_size);
}
