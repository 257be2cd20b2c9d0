// y = A x for a matrix in CSR form, one warp a row.
__global__ void spmv_csr(const int *__restrict__ starts, const int *__restrict__ columns,
                         const float *__restrict__ values, const float *__restrict__ x, float *__restrict__ y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
        sum += values[i] * x[columns[i]];
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}
