// C = A + B in BF16, added in FP32 and rounded once: one thread for each element.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void vector_add_kernel(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int N) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) C[i] = __float2bfloat16(__bfloat162float(A[i]) + __bfloat162float(B[i]));
}

extern "C" void vector_add_bf16(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int N,
                                cudaStream_t stream) {
    int block = 256;
    vector_add_kernel<<<(N - 1) / block + 1, block, 0, stream>>>(A, B, C, N);
}
