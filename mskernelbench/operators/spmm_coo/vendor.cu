// vendor: cuSPARSE
// links: cusparse
#include "sparse_coo.cuh"

extern "C" void ENTRY(spmm_coo)(int rows, int nnz, int K, const Value* values, const int* row_indices, const int* col_indices, const Value* X, Value* Y, cudaStream_t stream) {
    with_matrix_of_entries(rows, nnz, values, row_indices, col_indices, stream,
                           [&](const Sparse& A) { A.times_matrix(X, Y, K, stream); });
}
