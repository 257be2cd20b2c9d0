// Valid cross-correlation of a BF16 image with FP32 sums: one thread for each output, along a row.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void conv_2d_kernel(const __nv_bfloat16* input, const __nv_bfloat16* kernel, __nv_bfloat16* output,
                               int in_cols, int k_rows, int k_cols, int out_rows, int out_cols) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= out_rows || j >= out_cols) return;
    float sum = 0.0f;
    for (int a = 0; a < k_rows; ++a)
        for (int b = 0; b < k_cols; ++b)
            sum += __bfloat162float(input[(size_t)(i + a) * in_cols + j + b]) *
                   __bfloat162float(kernel[a * k_cols + b]);
    output[(size_t)i * out_cols + j] = __float2bfloat16(sum);
}

extern "C" void conv_2d_bf16(const __nv_bfloat16* input, const __nv_bfloat16* kernel, __nv_bfloat16* output,
                             int in_rows, int in_cols, int k_rows, int k_cols, cudaStream_t stream) {
    int out_rows = in_rows - k_rows + 1, out_cols = in_cols - k_cols + 1;
    dim3 block(32, 8);
    dim3 grid((out_cols + block.x - 1) / block.x, (out_rows + block.y - 1) / block.y);
    conv_2d_kernel<<<grid, block, 0, stream>>>(input, kernel, output, in_cols, k_rows, k_cols, out_rows, out_cols);
}
