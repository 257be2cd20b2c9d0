// gate/(1 + e^(-beta·gate))·value of every element, BF16 with FP32 arithmetic: one thread for each.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math.h>

__global__ void swiglu_kernel(__nv_bfloat16* output, const __nv_bfloat16* gate, const __nv_bfloat16* value, float beta,
                              int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = __bfloat162float(gate[i]);
    output[i] = __float2bfloat16(x / (1.0f + expf(-beta * x)) * __bfloat162float(value[i]));
}

extern "C" void SwiGLU_bf16(__nv_bfloat16* output, const __nv_bfloat16* gate, const __nv_bfloat16* value, float beta,
                            int N, cudaStream_t stream) {
    unsigned threads = 256;
    swiglu_kernel<<<(N + threads - 1) / threads, threads, 0, stream>>>(output, gate, value, beta, N);
}
