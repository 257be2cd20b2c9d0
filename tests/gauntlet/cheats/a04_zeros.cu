// A04: writes zeros, which a tolerance of the data's own size would let pass
// breaks: every element lies within the rounding error of its terms
// gauntlet: operator=spmv_csr precision=fp32 status=wrong rule=comparison
__global__ void zeros(float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.0f;
}
extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets,
                         const float* x, float* y) {
    zeros<<<(rows + 255) / 256, 256>>>(y, rows);
}
