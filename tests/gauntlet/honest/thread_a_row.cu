// a thread a row, sums in order
// gauntlet: operator=spmv_csr precision=fp32
__global__ void spmv(int rows, const float* v, const int* c, const int* r, const float* x, float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int p = r[row]; p < r[row + 1]; p++) sum += v[p] * x[c[p]];
    y[row] = sum;
}
extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets,
                         const float* x, float* y) {
    spmv<<<(rows + 255) / 256, 256>>>(rows, values, col_indices, row_offsets, x, y);
}
