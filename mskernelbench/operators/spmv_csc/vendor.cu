// vendor: cuSPARSE
// links: cusparse
#include "sparse.cuh"

extern "C" void ENTRY(spmv_csc)(int rows, int columns, const Value* values, const int* row_indices, const int* col_offsets, const Value* x, Value* y, cudaStream_t stream) {
    int entries = read_back(col_offsets + columns, stream);
    Sparse::csc(rows, columns, entries, col_offsets, row_indices, values).times_vector(x, y, stream);
}
