// vendor: cuSPARSE
// links: cusparse
#include "sparse.cuh"

extern "C" void ENTRY(spmm_csc)(int rows, int columns, int K, const Value* values, const int* row_indices, const int* col_offsets, const Value* X, Value* Y, cudaStream_t stream) {
    int entries = read_back(col_offsets + columns, stream);
    Sparse::csc(rows, columns, entries, col_offsets, row_indices, values).times_matrix(X, Y, K, stream);
}
