// vendor: cuSPARSE
// links: cusparse
#include "sparse_csr.cuh"

extern "C" void ENTRY(spmv_csr)(int rows, const Value* values, const int* col_indices, const int* row_offsets, const Value* x, Value* y, cudaStream_t stream) {
    matrix_of_rows(rows, values, col_indices, row_offsets, stream).times_vector(x, y, stream);
}
