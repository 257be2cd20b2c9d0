// adds up a sixteenth of the columns in each of sixteen launches, which a scalar tells apart
// gauntlet: operator=matrix_vector_mul precision=fp32 sets=check,paper
#include <cuda_runtime.h>
__global__ void add_columns(float* y, const float* a, const float* x, int m, int n, int from, int to) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m) return;
    float sum = from ? y[row] : 0.0f;
    for (int j = from; j < to; j++) sum += a[(size_t)row * n + j] * x[j];
    y[row] = sum;
}
extern "C" void matrix_vector_mul(const float* A, const float* x, float* y, int M, int N, cudaStream_t stream) {
    int columns = (N + 15) / 16;
    for (int from = 0; from < N; from += columns) {
        int to = from + columns < N ? from + columns : N;
        add_columns<<<(M + 63) / 64, 64, 0, stream>>>(y, A, x, M, N, from, to);
    }
}
