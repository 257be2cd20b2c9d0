// vendor: cuBLAS
// links: cublas
// BF16 has no matrix-vector call: it is the product with a matrix of one column.
#include "blas.cuh"

extern "C" void ENTRY(matrix_vector_mul)(const Value* A, const Value* x, Value* y, int M, int N, cudaStream_t stream) {
#ifdef BF16
    row_major_product(stream, A, VALUE_TYPE, x, y, VALUE_TYPE, M, 1, N);
#else
    const float one = 1.0f, zero = 0.0f;
    MUST(cublasSgemv(blas_on(stream), CUBLAS_OP_T, N, M, &one, A, N, x, 1, &zero, y, 1));
#endif
}
