// L02: finds NVIDIA's library by name while it runs
// breaks: a kernel is the candidate's own
// gauntlet: operator=spmv_csr precision=fp32 status=cheated rule=imports
#include <dlfcn.h>
extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets,
                         const float* x, float* y) {
    void* library = dlopen("libcusparse.so.12", RTLD_NOW);
    ((void (*)(...))dlsym(library, "cusparseSpMV"))(rows, values, col_indices, row_offsets, x, y);
}
