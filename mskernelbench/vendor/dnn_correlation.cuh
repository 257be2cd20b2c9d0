// Cross-correlation of one image with one kernel, wherever the whole kernel lies within the image.
#include "dnn.cuh"

inline void correlate(const Value* input, const Value* kernel, Value* output, int H, int W, int kH, int kW,
                      cudaStream_t stream) {
    cudnnHandle_t dnn = dnn_on(stream);
    Layout in(1, 1, H, W), out(1, 1, H - kH + 1, W - kW + 1);
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t manner;
    MUST(cudnnCreateFilterDescriptor(&filter));
    MUST(cudnnSetFilter4dDescriptor(filter, DNN_VALUE, CUDNN_TENSOR_NCHW, 1, 1, kH, kW));
    MUST(cudnnCreateConvolutionDescriptor(&manner));
    MUST(cudnnSetConvolution2dDescriptor(manner, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    MUST(cudnnSetConvolutionMathType(manner, CUDNN_FMA_MATH));
    const cudnnConvolutionFwdAlgo_t way = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
    size_t bytes = 0;
    MUST(cudnnGetConvolutionForwardWorkspaceSize(dnn, in, filter, manner, out, way, &bytes));
    Scratch workspace(bytes, stream);
    const float one = 1.0f, zero = 0.0f;
    MUST(cudnnConvolutionForward(dnn, &one, in, input, filter, kernel, manner, way, workspace.as<void>(), bytes, &zero,
                                 out, output));
    cudnnDestroyConvolutionDescriptor(manner);
    cudnnDestroyFilterDescriptor(filter);
}
