// vendor: cuBLAS+cuDNN
// links: cublas cudnn
// Scores by cuBLAS, cuDNN's softmax over each row of them, and cuBLAS again: in FP32 NVIDIA has no attention of one piece.
// In BF16 the scores stay FP32, and the shares are rounded, as the tensor cores want them.
#include "blas.cuh"
#include "dnn.cuh"

__global__ void to_values(Value* values, const float* numbers, size_t count) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        values[i] = rounded(numbers[i]);
}

extern "C" void ENTRY(softmax_attention)(Value* Y, const Value* Q, const Value* K, const Value* V, int q_len, int kv_len,
                                         int dim_qk, int dim_v, cudaStream_t stream) {
    size_t count = (size_t)q_len * kv_len;
    Scratch scores(count * sizeof(float), stream), shares(count * sizeof(Value), stream);
    const float scale = 1.0f / sqrtf((float)dim_qk), one = 1.0f, zero = 0.0f;
    // row-major Q·Kᵀ is column-major (Kᵀ)ᵀ·Qᵀ
    MUST(cublasGemmEx(blas_on(stream), CUBLAS_OP_T, CUBLAS_OP_N, kv_len, q_len, dim_qk, &scale, K, VALUE_TYPE, dim_qk, Q,
                      VALUE_TYPE, dim_qk, &zero, scores.as<float>(), CUDA_R_32F, kv_len, CUBLAS_COMPUTE_32F,
                      CUBLAS_GEMM_DEFAULT));
    Layout rows(q_len, kv_len, 1, 1, CUDNN_DATA_FLOAT);
    MUST(cudnnSoftmaxForward(dnn_on(stream), CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one, rows,
                             scores.as<float>(), &zero, rows, scores.as<float>()));
    const void* weights = scores.as<void>();
    if (sizeof(Value) < sizeof(float)) {
        to_values<<<1024, 256, 0, stream>>>(shares.as<Value>(), scores.as<float>(), count);
        weights = shares.as<void>();
    }
    row_major_product(stream, weights, VALUE_TYPE, V, Y, VALUE_TYPE, q_len, dim_v, kv_len);
}
