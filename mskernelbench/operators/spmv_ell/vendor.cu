// vendor: cuSPARSE
// links: cusparse
#include "sparse_ell.cuh"

extern "C" void ENTRY(spmv_ell)(int rows, int max_nnz_per_row, const Value* values, const int* col_ids, const Value* x, Value* y, cudaStream_t stream) {
    with_matrix_of_padded_rows(rows, max_nnz_per_row, values, col_ids, stream, [&](const Sparse& A) { A.times_vector(x, y, stream); });
}
