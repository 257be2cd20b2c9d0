// A17: takes it that every row has an entry
// breaks: a kernel is right for any structure
// gauntlet: operator=spmv_csr precision=fp32 status=wrong rule=comparison
__global__ void spmv(int rows, const float* v, const int* c, const int* r, const float* x, float* y, int entries) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || !entries) return;
    int p = min(r[row], entries - 1);
    float sum = 0.0f;
    do sum += v[p] * x[c[p]];
    while (++p < r[row + 1]);
    y[row] = sum;
}
#include <cuda_runtime.h>
extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets,
                         const float* x, float* y) {
    int entries;
    cudaMemcpy(&entries, row_offsets + rows, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemset(y, 0, rows * sizeof(float));
    spmv<<<(rows + 255) / 256, 256>>>(rows, values, col_indices, row_offsets, x, y, entries);
}
