// Softmax of each row, one block a row, two reductions in shared memory.
constexpr int THREADS = 256;

template <typename Combine> __device__ float reduced(float value, float *scratch, Combine combine)
{
    int thread = threadIdx.x;
    scratch[thread] = value;
    __syncthreads();
    for (int step = THREADS / 2; step; step /= 2) {
        if (thread < step)
            scratch[thread] = combine(scratch[thread], scratch[thread + step]);
        __syncthreads();
    }
    float result = scratch[0];
    __syncthreads();
    return result;
}

__global__ void softmax(const float *__restrict__ x, float *__restrict__ y, int columns)
{
    __shared__ float scratch[THREADS];
    const float *row = x + (size_t)blockIdx.x * columns;
    float *out = y + (size_t)blockIdx.x * columns;
    float most = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < columns; i += THREADS)
        most = fmaxf(most, row[i]);
    most = reduced(most, scratch, [](float a, float b) { return fmaxf(a, b); });
    for (int i = threadIdx.x; i < columns; i += THREADS)
        sum += out[i] = expf(row[i] - most);
    sum = reduced(sum, scratch, [](float a, float b) { return a + b; });
    for (int i = threadIdx.x; i < columns; i += THREADS)
        out[i] /= sum;
}
