// B = s·A in BF16, multiplied in FP32 and rounded once: one thread for each element.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

__global__ void matrix_scalar_mul_kernel(const __nv_bfloat16* A, __nv_bfloat16* B, __nv_bfloat16 scalar,
                                         size_t elements) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < elements) B[i] = __float2bfloat16(__bfloat162float(scalar) * __bfloat162float(A[i]));
}

extern "C" void matrix_scalar_mul_bf16(const __nv_bfloat16* A, __nv_bfloat16* B, __nv_bfloat16 scalar, int M, int N,
                                       cudaStream_t stream) {
    size_t elements = (size_t)M * N;
    int block = 256;
    matrix_scalar_mul_kernel<<<(elements + block - 1) / block, block, 0, stream>>>(A, B, scalar, elements);
}
