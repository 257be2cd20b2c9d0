// Max pooling: one thread for each output, neighbouring threads along a row. fmaxf ignores NaN.
#include <cuda_runtime.h>
#include <math.h>

__global__ void max_pooling_2d_kernel(const float* input, float* output, size_t outputs, int H, int W, int oH, int oW,
                                      int kernel_size, int stride, int padding) {
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= outputs) return;
    int left = (int)(at % oW) * stride - padding;
    int top = (int)(at / oW % oH) * stride - padding;
    const float* channel = input + at / ((size_t)oW * oH) * ((size_t)H * W);
    float best = -INFINITY;
    for (int i = max(top, 0); i < min(top + kernel_size, H); ++i)
        for (int j = max(left, 0); j < min(left + kernel_size, W); ++j)
            best = fmaxf(best, channel[(size_t)i * W + j]);
    output[at] = best;
}

extern "C" void max_pooling_2d(const float* input, float* output, int N, int C, int H, int W, int kernel_size,
                               int stride, int padding, cudaStream_t stream) {
    int oH = (H + 2 * padding - kernel_size) / stride + 1;
    int oW = (W + 2 * padding - kernel_size) / stride + 1;
    size_t outputs = (size_t)N * C * oH * oW;
    int block = 256;
    max_pooling_2d_kernel<<<(outputs + block - 1) / block, block, 0, stream>>>(input, output, outputs, H, W, oH, oW,
                                                                               kernel_size, stride, padding);
}
