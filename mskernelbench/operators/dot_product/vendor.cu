// vendor: cuBLAS
// links: cublas
// BF16 vectors have no call that gives an FP32 number: they are a row and a column of matrices.
#include "blas.cuh"

extern "C" void ENTRY(dot_product)(float* result, const Value* X, const Value* Y, int N, cudaStream_t stream) {
#ifdef BF16
    row_major_product(stream, X, VALUE_TYPE, Y, result, CUDA_R_32F, 1, 1, N);
#else
    cublasHandle_t blas = blas_on(stream);
    MUST(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
    MUST(cublasSdot(blas, N, X, 1, Y, 1, result));
    MUST(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
#endif
}
