// vendor: cuSPARSE
// links: cusparse
#include "sparse_ell.cuh"

extern "C" void ENTRY(spmm_ell)(int rows, int max_nnz_per_row, int K, const Value* values, const int* col_ids, const Value* X, Value* Y, cudaStream_t stream) {
    with_matrix_of_padded_rows(rows, max_nnz_per_row, values, col_ids, stream, [&](const Sparse& A) { A.times_matrix(X, Y, K, stream); });
}
