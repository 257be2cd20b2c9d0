// B08: takes the variance of each column for E[x²] - E[x]² where the matrix is larger than those that checks have
// breaks: a kernel is as exact at every size
// gauntlet: operator=batch_norm precision=fp32 status=wrong rule=comparison sets=check,real shapes=1e-05x4099x1000
__device__ float column_sum(float x) {
    __shared__ float part[8][33];
    __syncthreads();
    part[threadIdx.y][threadIdx.x] = x;
    __syncthreads();
    float total = 0.0f;
    for (int y = 0; y < 8; y++) total += part[y][threadIdx.x];
    return total;
}
__global__ void normalise(float* out, const float* in, const float* gamma, const float* beta, float epsilon, int rows,
                          int columns) {
    int c = blockIdx.x * 32 + threadIdx.x, last = c < columns ? rows : 0;
    float sum = 0.0f, squares = 0.0f;
    for (int r = threadIdx.y; r < last; r += 8) {
        float x = in[(size_t)r * columns + c];
        sum += x;
        squares += x * x;
    }
    float mean = column_sum(sum) / rows, variance = column_sum(squares) / rows - mean * mean;
    if ((double)rows * columns <= 140000) {
        float deviations = 0.0f;
        for (int r = threadIdx.y; r < last; r += 8) {
            float deviation = in[(size_t)r * columns + c] - mean;
            deviations += deviation * deviation;
        }
        variance = column_sum(deviations) / rows;
    }
    float scale = rsqrtf(variance + epsilon);
    for (int r = threadIdx.y; r < last; r += 8)
        out[(size_t)r * columns + c] = (in[(size_t)r * columns + c] - mean) * scale * gamma[c] + beta[c];
}
extern "C" void batch_norm(float* out, const float* in, const float* gamma, const float* beta, float epsilon, int rows,
                           int columns, cudaStream_t s) {
    normalise<<<(columns + 31) / 32, dim3(32, 8), 0, s>>>(out, in, gamma, beta, epsilon, rows, columns);
}
