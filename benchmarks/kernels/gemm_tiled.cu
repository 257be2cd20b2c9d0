// C = A B through 16 x 16 tiles in shared memory.
constexpr int TILE = 16;

__global__ void gemm_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        left[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0;
        right[y][x] = k + y < n && column < n ? b[(k + y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}
