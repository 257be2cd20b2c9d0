// each thread copies four elements ahead in a pipeline of its own
// gauntlet: operator=spmm_csr precision=fp32
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
constexpr int T = 128, STAGES = 4;
__global__ void __launch_bounds__(T) spmm(int rows, int K, const float* __restrict__ v, const int* __restrict__ col, const int* __restrict__ start, const float* __restrict__ X, float* __restrict__ Y) {
    __shared__ float stage[STAGES][T];
    auto pipe = cuda::make_pipeline();
    int row = blockIdx.x, k = blockIdx.y * T + threadIdx.x, from = start[row], to = start[row + 1];
    float sum = 0.f; int ahead = from;
    for (int i = from; i < to; ++i) {
        for (; ahead < to && ahead < i + STAGES; ++ahead) {
            pipe.producer_acquire();
            if (k < K) cuda::memcpy_async(&stage[ahead % STAGES][threadIdx.x], X + (size_t)col[ahead] * K + k, cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        }
        cuda::pipeline_consumer_wait_prior<STAGES - 1>(pipe);
        if (ahead - i < STAGES) __pipeline_wait_prior(0);
        if (k < K) sum = fmaf(v[i], stage[i % STAGES][threadIdx.x], sum);
        pipe.consumer_release();
    }
    if (k < K) Y[(size_t)row * K + k] = sum;
}
extern "C" void spmm_csr(int rows, int K, const float* values, const int* col_indices, const int* row_offsets, const float* X, float* Y, cudaStream_t stream) {
    spmm<<<dim3(rows, (K + T - 1) / T), T, 0, stream>>>(rows, K, values, col_indices, row_offsets, X, Y);
}
