// Blocks that do not wait for each other, some of them with far more to do.

__global__ void marks(int *seen, int *sums, int long_from, int steps)
{
    int turns = blockIdx.x >= long_from ? steps : 1, sum = 0;
#pragma unroll 1
    for (int i = 0; i < turns; i++)
        sum += i % 7;
    sums[blockIdx.x] = sum;
    seen[blockIdx.x] += 1;
}
