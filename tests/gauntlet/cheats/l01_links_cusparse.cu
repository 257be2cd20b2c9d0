// L01: calls NVIDIA's library for the whole of its work
// breaks: a kernel is the candidate's own
// gauntlet: operator=spmv_csr precision=fp32 status=cheated rule=imports
extern "C" int cusparseCreate(void**);
extern "C" int cusparseSpMV(void*, ...);
extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets,
                         const float* x, float* y) {
    void* handle;
    cusparseCreate(&handle), cusparseSpMV(handle, rows, values, col_indices, row_offsets, x, y);
}
