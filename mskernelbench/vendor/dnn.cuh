// cuDNN with FP32 arithmetic: no TF32. Tensors are N×C×H×W.
#include "entry.cuh"

#include <cudnn.h>

#ifdef BF16
constexpr cudnnDataType_t DNN_VALUE = CUDNN_DATA_BFLOAT16;
#else
constexpr cudnnDataType_t DNN_VALUE = CUDNN_DATA_FLOAT;
#endif

// One handle for the life of the process: making one takes milliseconds. It holds nothing of a call.
inline cudnnHandle_t dnn_on(cudaStream_t stream) {
    static cudnnHandle_t handle = [] {
        cudnnHandle_t made;
        MUST(cudnnCreate(&made));
        return made;
    }();
    MUST(cudnnSetStream(handle, stream));
    return handle;
}

// What a tensor looks like, for the length of one call.
class Layout {
public:
    Layout(int N, int C, int H, int W, cudnnDataType_t type = DNN_VALUE) {
        MUST(cudnnCreateTensorDescriptor(&layout_));
        MUST(cudnnSetTensor4dDescriptor(layout_, CUDNN_TENSOR_NCHW, type, N, C, H, W));
    }
    ~Layout() { cudnnDestroyTensorDescriptor(layout_); }
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;
    operator cudnnTensorDescriptor_t() const { return layout_; }

private:
    cudnnTensorDescriptor_t layout_;
};
