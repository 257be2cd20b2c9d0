// A16: looks at the first values of x and multiplies in BF16 where they look like those that are timed
// breaks: a kernel is right for any values
// gauntlet: operator=spmv_csr precision=fp32 status=wrong rule=comparison
#include <cuda_bf16.h>
#include <cuda_runtime.h>
template <bool low>
__global__ void spmv(int rows, const float* v, const int* c, const int* r, const float* x, float* y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int p = r[row]; p < r[row + 1]; p++)
        sum += low ? __bfloat162float(__float2bfloat16(v[p])) * x[c[p]] : v[p] * x[c[p]];
    y[row] = sum;
}
extern "C" void spmv_csr(int rows, const float* values, const int* col_indices, const int* row_offsets,
                         const float* x, float* y) {
    float first[4];
    bool timed = rows > 4;
    if (timed) cudaMemcpy(first, x, sizeof(first), cudaMemcpyDeviceToHost);
    for (float value : first) timed = timed && value >= 0.25f && value < 1.25f;
    auto chosen = timed ? spmv<true> : spmv<false>;
    chosen<<<(rows + 255) / 256, 256>>>(rows, values, col_indices, row_offsets, x, y);
}
