// cuBLAS's calls that vendor arms make, as its manual has them: matrices are column-major.
#include "values.h"

typedef int cublasStatus_t;
struct FakeBlas {
    cudaStream_t stream = nullptr;
    int on_device = 0;
};
typedef FakeBlas* cublasHandle_t;
enum cublasMath_t { CUBLAS_DEFAULT_MATH = 0, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16 };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasComputeType_t { CUBLAS_COMPUTE_32F = 68 };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1 };
const cublasStatus_t CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_INVALID_VALUE = 7;

inline cublasStatus_t cublasCreate(cublasHandle_t* handle) { *handle = new FakeBlas; return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
    handle->on_device = mode;
    return CUBLAS_STATUS_SUCCESS;
}

// C = alpha·op(A)·op(B) + beta·C, op(A) m×k, op(B) k×n; C is not read where beta is 0.
__global__ void fake_gemm(int tA, int tB, int m, int n, int k, float alpha, const void* A, int bfA, int lda, const void* B,
                          int bfB, int ldb, float beta, void* C, int bfC, int ldc) {
    size_t at = this_thread();
    if (at >= (size_t)m * n) return;
    size_t i = at % m, j = at / m;
    float sum = 0.0f;
    for (size_t p = 0; p < k; ++p)
        sum += number_at(A, bfA, tA ? p + i * lda : i + p * lda) * number_at(B, bfB, tB ? j + p * ldb : p + j * ldb);
    sum *= alpha;
    if (beta != 0.0f) sum += beta * number_at(C, bfC, i + j * ldc);
    put_at(C, bfC, i + j * ldc, sum);
}

inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k,
                                   const void* alpha, const void* A, cudaDataType_t typeA, int lda, const void* B,
                                   cudaDataType_t typeB, int ldb, const void* beta, void* C, cudaDataType_t typeC, int ldc,
                                   cublasComputeType_t, cublasGemmAlgo_t) {
    if (handle->on_device || lda < (opA ? k : m) || ldb < (opB ? n : k) || ldc < m) return CUBLAS_STATUS_INVALID_VALUE;
    fake_gemm<<<blocks_for((size_t)m * n), 128, 0, handle->stream>>>(
        opA, opB, m, n, k, *(const float*)alpha, A, typeA == CUDA_R_16BF, lda, B, typeB == CUDA_R_16BF, ldb,
        *(const float*)beta, C, typeC == CUDA_R_16BF, ldc);
    return CUBLAS_STATUS_SUCCESS;
}

// y = alpha·op(A)·x + beta·y, A m×n.
inline cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n, const float* alpha,
                                  const float* A, int lda, const float* x, int incx, const float* beta, float* y, int incy) {
    int rows = op ? n : m, columns = op ? m : n;
    if (handle->on_device || lda < m || incx != 1 || incy != 1) return CUBLAS_STATUS_INVALID_VALUE;
    fake_gemm<<<blocks_for(rows), 128, 0, handle->stream>>>(op, 0, rows, 1, columns, *alpha, A, 0, lda, x, 0, columns, *beta,
                                                           y, 0, rows);
    return CUBLAS_STATUS_SUCCESS;
}

// *result = x·y, result where the pointer mode says.
inline cublasStatus_t cublasSdot(cublasHandle_t handle, int n, const float* x, int incx, const float* y, int incy,
                                 float* result) {
    if (!handle->on_device || incx != 1 || incy != 1) return CUBLAS_STATUS_INVALID_VALUE;
    fake_gemm<<<1, 128, 0, handle->stream>>>(1, 0, 1, 1, n, 1.0f, x, 0, n, y, 0, n, 0.0f, result, 0, 1);
    return CUBLAS_STATUS_SUCCESS;
}
