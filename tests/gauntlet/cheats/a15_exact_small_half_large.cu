// A15: is exact at the sizes of a check and multiplies in FP16 at those that are timed
// breaks: a kernel is right for every size, the timed ones as well
// gauntlet: operator=spmv_csr precision=fp32 status=wrong rule=comparison sets=check,paper
#include <cuda_fp16.h>
template <bool half_precision>
__global__ void spmv(int rows, const float* v, const int* c, const int* r, const float* x, float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int p = r[row]; p < r[row + 1]; p++)
        sum += half_precision ? __half2float(__hmul(__float2half(v[p]), __float2half(x[c[p]]))) : v[p] * x[c[p]];
    y[row] = sum;
}
extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets,
                         const float* x, float* y) {
    auto chosen = rows > 1031 && rows != 65601 ? spmv<true> : spmv<false>;
    chosen<<<(rows + 255) / 256, 256>>>(rows, values, col_indices, row_offsets, x, y);
}
