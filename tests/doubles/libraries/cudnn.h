// cuDNN's calls that vendor arms make, as its manual has them; tensors are N×C×H×W.
#include "values.h"

typedef int cudnnStatus_t;
struct FakeDnn { cudaStream_t stream = nullptr; };
typedef FakeDnn* cudnnHandle_t;
enum cudnnDataType_t { CUDNN_DATA_FLOAT = 0, CUDNN_DATA_BFLOAT16 = 9 };
enum cudnnTensorFormat_t { CUDNN_TENSOR_NCHW = 0 };
enum cudnnConvolutionMode_t { CUDNN_CONVOLUTION = 0, CUDNN_CROSS_CORRELATION = 1 };
enum cudnnMathType_t { CUDNN_DEFAULT_MATH = 0, CUDNN_FMA_MATH = 3 };
enum cudnnConvolutionFwdAlgo_t { CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM = 1 };
enum cudnnSoftmaxAlgorithm_t { CUDNN_SOFTMAX_ACCURATE = 1 };
enum cudnnSoftmaxMode_t { CUDNN_SOFTMAX_MODE_INSTANCE = 0 };
enum cudnnPoolingMode_t { CUDNN_POOLING_MAX = 0 };
enum cudnnNanPropagation_t { CUDNN_NOT_PROPAGATE_NAN = 0 };
enum cudnnBatchNormMode_t { CUDNN_BATCHNORM_PER_ACTIVATION = 0 };
const cudnnStatus_t CUDNN_STATUS_BAD_PARAM = 2000;

struct FakeTensor { int N, C, H, W, bf16; };
struct FakeConvolution { int mode, math; };
struct FakePooling { int height, width, top, left, down, right; };
typedef FakeTensor *cudnnTensorDescriptor_t, *cudnnFilterDescriptor_t;
typedef FakeConvolution* cudnnConvolutionDescriptor_t;
typedef FakePooling* cudnnPoolingDescriptor_t;

inline cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) { *handle = new FakeDnn; return 0; }
inline cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) { handle->stream = stream; return 0; }
inline cudnnStatus_t cudnnCreateTensorDescriptor(FakeTensor** made) { *made = new FakeTensor; return 0; }
inline cudnnStatus_t cudnnDestroyTensorDescriptor(FakeTensor* tensor) { delete tensor; return 0; }
inline cudnnStatus_t cudnnSetTensor4dDescriptor(FakeTensor* tensor, cudnnTensorFormat_t, cudnnDataType_t type, int N, int C,
                                                int H, int W) {
    *tensor = {N, C, H, W, type == CUDNN_DATA_BFLOAT16};
    return 0;
}
inline cudnnStatus_t cudnnCreateFilterDescriptor(FakeTensor** made) { *made = new FakeTensor; return 0; }
inline cudnnStatus_t cudnnDestroyFilterDescriptor(FakeTensor* filter) { delete filter; return 0; }
inline cudnnStatus_t cudnnSetFilter4dDescriptor(FakeTensor* filter, cudnnDataType_t type, cudnnTensorFormat_t, int K, int C,
                                                int H, int W) {
    *filter = {K, C, H, W, type == CUDNN_DATA_BFLOAT16};
    return 0;
}
inline cudnnStatus_t cudnnCreateConvolutionDescriptor(FakeConvolution** made) { *made = new FakeConvolution{}; return 0; }
inline cudnnStatus_t cudnnDestroyConvolutionDescriptor(FakeConvolution* manner) { delete manner; return 0; }
inline cudnnStatus_t cudnnSetConvolution2dDescriptor(FakeConvolution* manner, int pad_h, int pad_w, int u, int v, int dil_h,
                                                     int dil_w, cudnnConvolutionMode_t mode, cudnnDataType_t compute) {
    if (pad_h || pad_w || u != 1 || v != 1 || dil_h != 1 || dil_w != 1 || compute != CUDNN_DATA_FLOAT)
        return CUDNN_STATUS_BAD_PARAM;
    manner->mode = mode;
    return 0;
}
inline cudnnStatus_t cudnnSetConvolutionMathType(FakeConvolution* manner, cudnnMathType_t math) {
    manner->math = math;
    return 0;
}
inline cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, FakeTensor*, FakeTensor*, FakeConvolution*,
                                                             FakeTensor*, cudnnConvolutionFwdAlgo_t, size_t* bytes) {
    *bytes = 64;
    return 0;
}

__global__ void fake_correlation(FakeTensor in, const void* x, FakeTensor filter, const void* w, FakeTensor out, void* y) {
    size_t at = this_thread();
    if (at >= (size_t)out.H * out.W) return;
    size_t row = at / out.W, column = at % out.W;
    float sum = 0.0f;
    for (size_t a = 0; a < filter.H; ++a)
        for (size_t b = 0; b < filter.W; ++b)
            sum += number_at(x, in.bf16, (row + a) * in.W + column + b) * number_at(w, filter.bf16, a * filter.W + b);
    put_at(y, out.bf16, at, sum);
}
inline cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t dnn, const void*, FakeTensor* in, const void* x,
                                             FakeTensor* filter, const void* w, FakeConvolution* manner,
                                             cudnnConvolutionFwdAlgo_t, void*, size_t, const void*, FakeTensor* out, void* y) {
    bool fits = out->H == in->H - filter->H + 1 && out->W == in->W - filter->W + 1 && in->N * in->C * filter->N == 1;
    if (!fits || manner->mode != CUDNN_CROSS_CORRELATION || manner->math != CUDNN_FMA_MATH) return CUDNN_STATUS_BAD_PARAM;
    fake_correlation<<<blocks_for((size_t)out->H * out->W), 128, 0, dnn->stream>>>(*in, x, *filter, w, *out, y);
    return 0;
}

// Over C·H·W of each N.
__global__ void fake_softmax(FakeTensor rows, const void* x, void* y) {
    size_t row = this_thread(), width = (size_t)rows.C * rows.H * rows.W;
    if (row >= rows.N) return;
    float highest = -INFINITY, sum = 0.0f;
    for (size_t c = 0; c < width; ++c) highest = fmaxf(highest, number_at(x, rows.bf16, row * width + c));
    for (size_t c = 0; c < width; ++c) sum += expf(number_at(x, rows.bf16, row * width + c) - highest);
    for (size_t c = 0; c < width; ++c)
        put_at(y, rows.bf16, row * width + c, expf(number_at(x, rows.bf16, row * width + c) - highest) / sum);
}
inline cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t dnn, cudnnSoftmaxAlgorithm_t, cudnnSoftmaxMode_t, const void*,
                                         FakeTensor* in, const void* x, const void*, FakeTensor*, void* y) {
    fake_softmax<<<blocks_for(in->N), 128, 0, dnn->stream>>>(*in, x, y);
    return 0;
}

inline cudnnStatus_t cudnnCreatePoolingDescriptor(FakePooling** made) { *made = new FakePooling; return 0; }
inline cudnnStatus_t cudnnDestroyPoolingDescriptor(FakePooling* window) { delete window; return 0; }
inline cudnnStatus_t cudnnSetPooling2dDescriptor(FakePooling* window, cudnnPoolingMode_t, cudnnNanPropagation_t, int height,
                                                 int width, int top, int left, int down, int right) {
    *window = {height, width, top, left, down, right};
    return 0;
}
__global__ void fake_pooling(FakePooling window, FakeTensor in, const void* x, FakeTensor out, void* y) {
    size_t at = this_thread();
    if (at >= (size_t)out.N * out.C * out.H * out.W) return;
    int column = at % out.W, row = at / out.W % out.H;
    size_t image = at / ((size_t)out.W * out.H) * in.H * in.W;
    float best = -INFINITY;
    for (int a = 0; a < window.height; ++a)
        for (int b = 0; b < window.width; ++b) {
            int i = row * window.down - window.top + a, j = column * window.right - window.left + b;
            if (i >= 0 && i < in.H && j >= 0 && j < in.W) best = fmaxf(best, number_at(x, in.bf16, image + (size_t)i * in.W + j));
        }
    put_at(y, out.bf16, at, best);
}
inline cudnnStatus_t cudnnPoolingForward(cudnnHandle_t dnn, FakePooling* window, const void*, FakeTensor* in, const void* x,
                                         const void*, FakeTensor* out, void* y) {
    size_t count = (size_t)out->N * out->C * out->H * out->W;
    fake_pooling<<<blocks_for(count), 128, 0, dnn->stream>>>(*window, *in, x, *out, y);
    return 0;
}

__global__ void fake_normalisation(FakeTensor in, const void* x, void* y, const float* scale, const float* shift,
                                   double epsilon) {
    size_t column = this_thread();
    if (column >= in.C) return;
    double mean = 0.0, variance = 0.0;
    for (size_t n = 0; n < in.N; ++n) mean += number_at(x, in.bf16, n * in.C + column);
    mean /= in.N;
    for (size_t n = 0; n < in.N; ++n) {
        double distance = number_at(x, in.bf16, n * in.C + column) - mean;
        variance += distance * distance;
    }
    double factor = 1.0 / sqrt(variance / in.N + epsilon);
    for (size_t n = 0; n < in.N; ++n) {
        double at = (number_at(x, in.bf16, n * in.C + column) - mean) * factor;
        put_at(y, in.bf16, n * in.C + column, (float)(scale[column] * at + shift[column]));
    }
}
inline cudnnStatus_t cudnnBatchNormalizationForwardTraining(cudnnHandle_t dnn, cudnnBatchNormMode_t, const void*, const void*,
                                                            FakeTensor* in, const void* x, FakeTensor*, void* y,
                                                            FakeTensor* columns, const void* scale, const void* shift, double,
                                                            void*, void*, double epsilon, void*, void*) {
    if (in->H * in->W != 1 || columns->N != 1 || columns->C != in->C || columns->bf16) return CUDNN_STATUS_BAD_PARAM;
    fake_normalisation<<<blocks_for(in->C), 128, 0, dnn->stream>>>(*in, x, y, (const float*)scale, (const float*)shift, epsilon);
    return 0;
}
