// As wasteful as the published kernel: every thread adds up all values before its own, N² / 2 additions, in FP32.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void prefix_sum_kernel(__nv_bfloat16* output, const __nv_bfloat16* input, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float sum = 0.0f;
    for (size_t j = 0; j <= i; ++j) sum += __bfloat162float(input[j]);
    output[i] = __float2bfloat16(sum);
}

extern "C" void prefix_sum_bf16(__nv_bfloat16* output, const __nv_bfloat16* input, const int N, cudaStream_t stream) {
    int block = 256;
    prefix_sum_kernel<<<(N - 1) / block + 1, block, 0, stream>>>(output, input, N);
}
