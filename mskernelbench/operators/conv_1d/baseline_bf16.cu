// Valid cross-correlation of a BF16 signal with FP32 sums: one thread for each output.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void conv_1d_kernel(const __nv_bfloat16* input, const __nv_bfloat16* kernel, __nv_bfloat16* output,
                               int outputs, int taps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outputs) return;
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k) sum += __bfloat162float(input[i + k]) * __bfloat162float(kernel[k]);
    output[i] = __float2bfloat16(sum);
}

extern "C" void conv_1d_bf16(const __nv_bfloat16* input, const __nv_bfloat16* kernel, __nv_bfloat16* output,
                             int input_size, int kernel_size, cudaStream_t stream) {
    int outputs = input_size - kernel_size + 1;
    int block = 256;
    int grid = (outputs - 1) / block + 1;
    conv_1d_kernel<<<grid, block, 0, stream>>>(input, kernel, output, outputs, kernel_size);
}
