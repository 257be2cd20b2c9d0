// Entries in any order. cuSPARSE wants them row after row: where they do not come so, they are sorted first.
#include "sparse.cuh"

__global__ void note_disorder(const int* rows, int entries, int* found) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at + 1 < entries && rows[at] > rows[at + 1]) *found = 1;
}

__global__ void gather_entries(const int* order, int entries, const Value* values, Value* sorted) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < entries) sorted[at] = values[order[at]];
}

inline bool by_rows(const int* row_indices, int nnz, cudaStream_t stream) {
    Scratch found(sizeof(int), stream);
    MUST(cudaMemsetAsync(found.as<int>(), 0, sizeof(int), stream));
    if (nnz > 1) note_disorder<<<(nnz - 1) / 256 + 1, 256, 0, stream>>>(row_indices, nnz, found.as<int>());
    return read_back(found.as<int>(), stream) == 0;
}

// `use` of the matrix, whose entries live no longer than its call.
template <class Use>
void with_matrix_of_entries(int rows, int nnz, const Value* values, const int* row_indices, const int* col_indices,
                            cudaStream_t stream, Use use) {
    if (by_rows(row_indices, nnz, stream)) {
        use(Sparse::coo(rows, nnz, row_indices, col_indices, values));
        return;
    }
    cusparseHandle_t sparse = sparse_on(stream);
    size_t ids = nnz * sizeof(int), bytes = 0;
    Scratch sorted_rows(ids, stream), sorted_columns(ids, stream), order(ids, stream), sorted(nnz * sizeof(Value), stream);
    MUST(cudaMemcpyAsync(sorted_rows.as<int>(), row_indices, ids, cudaMemcpyDeviceToDevice, stream));
    MUST(cudaMemcpyAsync(sorted_columns.as<int>(), col_indices, ids, cudaMemcpyDeviceToDevice, stream));
    MUST(cusparseCreateIdentityPermutation(sparse, nnz, order.as<int>()));
    MUST(cusparseXcoosort_bufferSizeExt(sparse, rows, COLUMNS_UNKNOWN, nnz, sorted_rows.as<int>(), sorted_columns.as<int>(),
                                        &bytes));
    Scratch buffer(bytes, stream);
    MUST(cusparseXcoosortByRow(sparse, rows, COLUMNS_UNKNOWN, nnz, sorted_rows.as<int>(), sorted_columns.as<int>(),
                               order.as<int>(), buffer.as<void>()));
    gather_entries<<<(nnz - 1) / 256 + 1, 256, 0, stream>>>(order.as<int>(), nnz, values, sorted.as<Value>());
    use(Sparse::coo(rows, nnz, sorted_rows.as<int>(), sorted_columns.as<int>(), sorted.as<Value>()));
}
