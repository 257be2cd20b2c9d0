// vendor: cuSPARSE
// links: cusparse
#include "sparse_csr.cuh"

extern "C" void ENTRY(spmm_csr)(int rows, int K, const Value* values, const int* col_indices, const int* row_offsets, const Value* X, Value* Y, cudaStream_t stream) {
    matrix_of_rows(rows, values, col_indices, row_offsets, stream).times_matrix(X, Y, K, stream);
}
