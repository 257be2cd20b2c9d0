// B03: takes its matrix as whole multiples of 1/64 in 8 bits
// breaks: inputs are used with all the bits of their type
// gauntlet: operator=spmv_csr precision=fp32 status=wrong rule=comparison
__global__ void spmv(int rows, const float* v, const int* c, const int* r, const float* x, float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int p = r[row]; p < r[row + 1]; p++) sum += (signed char)(v[p] * 64) / 64.0f * x[c[p]];
    y[row] = sum;
}
extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets,
                         const float* x, float* y) {
    spmv<<<(rows + 255) / 256, 256>>>(rows, values, col_indices, row_offsets, x, y);
}
