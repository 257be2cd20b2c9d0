// vendor: cuDNN
// links: cudnn
#include "dnn_correlation.cuh"

extern "C" void ENTRY(conv_1d)(const Value* input, const Value* kernel, Value* output, int input_size, int kernel_size,
                               cudaStream_t stream) {
    correlate(input, kernel, output, 1, input_size, 1, kernel_size, stream);
}
