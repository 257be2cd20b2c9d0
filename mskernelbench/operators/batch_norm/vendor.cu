// vendor: cuDNN
// links: cudnn
// cuDNN scales and shifts by FP32 numbers: in BF16 they are converted first.
#include "dnn.cuh"

__global__ void convert(const Value* values, float* numbers, int C) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < C) numbers[at] = number(values[at]);
}

extern "C" void ENTRY(batch_norm)(Value* output, const Value* input, const Value* gamma, const Value* beta, float epsilon,
                                  int N, int C, cudaStream_t stream) {
    Layout values(N, C, 1, 1), columns(1, C, 1, 1, CUDNN_DATA_FLOAT);
    Scratch scale(C * sizeof(float), stream), shift(C * sizeof(float), stream);
    convert<<<(C - 1) / 256 + 1, 256, 0, stream>>>(gamma, scale.as<float>(), C);
    convert<<<(C - 1) / 256 + 1, 256, 0, stream>>>(beta, shift.as<float>(), C);
    const float one = 1.0f, zero = 0.0f;
    MUST(cudnnBatchNormalizationForwardTraining(dnn_on(stream), CUDNN_BATCHNORM_PER_ACTIVATION, &one, &zero, values, input,
                                                values, output, columns, scale.as<void>(), shift.as<void>(), 1.0, nullptr,
                                                nullptr, epsilon, nullptr, nullptr));
}
