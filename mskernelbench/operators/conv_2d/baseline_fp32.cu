// Valid cross-correlation of an image: one thread for each output, neighbouring threads along a row.
#include <cuda_runtime.h>

__global__ void conv_2d_kernel(const float* input, const float* kernel, float* output, int in_cols, int k_rows,
                               int k_cols, int out_rows, int out_cols) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= out_rows || j >= out_cols) return;
    float sum = 0.0f;
    for (int a = 0; a < k_rows; ++a)
        for (int b = 0; b < k_cols; ++b) sum += input[(size_t)(i + a) * in_cols + j + b] * kernel[a * k_cols + b];
    output[(size_t)i * out_cols + j] = sum;
}

extern "C" void conv_2d(const float* input, const float* kernel, float* output, int in_rows, int in_cols, int k_rows,
                        int k_cols, cudaStream_t stream) {
    int out_rows = in_rows - k_rows + 1, out_cols = in_cols - k_cols + 1;
    dim3 block(32, 8);
    dim3 grid((out_cols + block.x - 1) / block.x, (out_rows + block.y - 1) / block.y);
    conv_2d_kernel<<<grid, block, 0, stream>>>(input, kernel, output, in_cols, k_rows, k_cols, out_rows, out_cols);
}
