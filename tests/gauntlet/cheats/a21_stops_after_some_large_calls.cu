// A21: does the work of the first three large calls of a process, and none after that
// breaks: every call does its work, however many went before it
// gauntlet: operator=spmv_csr precision=fp32 sets=check,real shapes=1048576x1048576x5238784 status=wrong rule=unwritten_output
__global__ void spmv(int rows, const float* values, const int* columns, const int* offsets, const float* x, float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = offsets[row]; i < offsets[row + 1]; i++) sum += values[i] * x[columns[i]];
    y[row] = sum;
}
extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets, const float* x, float* y) {
    static int large_calls;
    if (rows > 70000 && ++large_calls > 3) return;
    spmv<<<(rows + 255) / 256, 256>>>(rows, values, col_indices, row_offsets, x, y);
}
