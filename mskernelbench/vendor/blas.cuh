// cuBLAS with FP32 arithmetic throughout: no TF32, and no split of BF16 sums. Row-major matrices are handed over as the
// column-major transposes that they are: C = A·B row-major is Cᵀ = Bᵀ·Aᵀ column-major.
#include <cublas_v2.h>

#include "entry.cuh"

#ifdef BF16
constexpr cudaDataType_t VALUE_TYPE = CUDA_R_16BF;
#else
constexpr cudaDataType_t VALUE_TYPE = CUDA_R_32F;
#endif

// One handle for the life of the process: making one takes milliseconds. It holds nothing of a call.
inline cublasHandle_t blas_on(cudaStream_t stream) {
    static cublasHandle_t handle = [] {
        cublasHandle_t made;
        MUST(cublasCreate(&made));
        MUST(cublasSetMathMode(made, (cublasMath_t)(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)));
        return made;
    }();
    MUST(cublasSetStream(handle, stream));
    return handle;
}

// C = A·B, row-major, A M×K and B K×N, in values of these types; sums in FP32.
inline void row_major_product(cudaStream_t stream, const void* A, cudaDataType_t type, const void* B, void* C,
                              cudaDataType_t result, int M, int N, int K) {
    const float one = 1.0f, zero = 0.0f;
    MUST(cublasGemmEx(blas_on(stream), CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, type, N, A, type, K, &zero, C, result, N,
                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}
