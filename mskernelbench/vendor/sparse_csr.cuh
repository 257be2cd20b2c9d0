// A matrix whose rows lie one after another.
#include "sparse.cuh"

inline Sparse matrix_of_rows(int rows, const Value* values, const int* col_indices, const int* row_offsets,
                             cudaStream_t stream) {
    int entries = read_back(row_offsets + rows, stream);
    return Sparse::csr(rows, COLUMNS_UNKNOWN, entries, row_offsets, col_indices, values);
}
