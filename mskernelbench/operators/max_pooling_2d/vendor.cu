// vendor: cuDNN
// links: cudnn
#include "dnn.cuh"

extern "C" void ENTRY(max_pooling_2d)(const Value* input, Value* output, int N, int C, int H, int W, int kernel_size,
                                      int stride, int padding, cudaStream_t stream) {
    int oH = (H + 2 * padding - kernel_size) / stride + 1, oW = (W + 2 * padding - kernel_size) / stride + 1;
    Layout in(N, C, H, W), out(N, C, oH, oW);
    cudnnPoolingDescriptor_t window;
    MUST(cudnnCreatePoolingDescriptor(&window));
    MUST(cudnnSetPooling2dDescriptor(window, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, kernel_size, kernel_size, padding,
                                     padding, stride, stride));
    const float one = 1.0f, zero = 0.0f;
    MUST(cudnnPoolingForward(dnn_on(stream), window, &one, in, input, &zero, out, output));
    cudnnDestroyPoolingDescriptor(window);
}
