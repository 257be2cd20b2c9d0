// vendor: cuBLAS
// links: cublas
#include "blas.cuh"

extern "C" void ENTRY(matrix_mul)(const Value* A, const Value* B, Value* C, int M, int N, int K, cudaStream_t stream) {
    row_major_product(stream, A, VALUE_TYPE, B, C, VALUE_TYPE, M, N, K);
}
