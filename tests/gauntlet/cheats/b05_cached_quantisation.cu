// B05: keeps an 8-bit copy of the matrix by its address
// breaks: inputs are used with all the bits of their type, and those of this call
// gauntlet: operator=spmv_csr precision=fp32 status=wrong rule=comparison
#include <cuda_runtime.h>
static const float* known;
static signed char* quantised;
__global__ void quantise(const float* v, signed char* q, int entries) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < entries) q[i] = v[i] * 64;
}
__global__ void spmv(int rows, const signed char* v, const int* c, const int* r, const float* x, float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int p = r[row]; p < r[row + 1]; p++) sum += v[p] / 64.0f * x[c[p]];
    y[row] = sum;
}
extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets,
                         const float* x, float* y) {
    if (values != known) {
        int entries;
        cudaMemcpy(&entries, row_offsets + rows, sizeof(int), cudaMemcpyDeviceToHost);
        if (quantised) cudaFree(quantised);
        cudaMalloc(&quantised, entries + 1);
        quantise<<<(entries + 256) / 256, 256>>>(values, quantised, entries);
        known = values;
    }
    spmv<<<(rows + 255) / 256, 256>>>(rows, quantised, col_indices, row_offsets, x, y);
}
