// cuSPARSE's calls that vendor arms make, as its manual has them: COO is sorted by rows, and a sum in FP32.
#include "values.h"

#include <climits>
#include <cmath>

typedef int cusparseStatus_t;
struct FakeSparse { cudaStream_t stream = nullptr; };
typedef FakeSparse* cusparseHandle_t;
enum cusparseIndexType_t { CUSPARSE_INDEX_32I = 2 };
enum cusparseIndexBase_t { CUSPARSE_INDEX_BASE_ZERO = 0 };
enum cusparseOperation_t { CUSPARSE_OPERATION_NON_TRANSPOSE = 0 };
enum cusparseOrder_t { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 };
enum cusparseSpMVAlg_t { CUSPARSE_SPMV_ALG_DEFAULT = 0 };
enum cusparseSpMMAlg_t { CUSPARSE_SPMM_ALG_DEFAULT = 0 };
enum FakeFormat { CSR, CSC, COO };
const cusparseStatus_t CUSPARSE_STATUS_SUCCESS = 0, CUSPARSE_STATUS_INVALID_VALUE = 3;

struct FakeMatrix {
    FakeFormat format;
    int64_t rows, columns, entries;
    const int *first, *second;  // offsets and ids; of COO rows and columns
    const void* values;
    int bf16;
};
struct FakeDense {
    int64_t rows, columns, stride;
    void* values;
    int bf16;
};
typedef FakeMatrix* cusparseSpMatDescr_t;
typedef FakeDense *cusparseDnVecDescr_t, *cusparseDnMatDescr_t;

inline cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) { *handle = new FakeSparse; return 0; }
inline cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) { handle->stream = stream; return 0; }
inline cusparseStatus_t cusparseDestroySpMat(FakeMatrix* matrix) { delete matrix; return 0; }
inline cusparseStatus_t cusparseDestroyDnVec(FakeDense* dense) { delete dense; return 0; }
inline cusparseStatus_t cusparseDestroyDnMat(FakeDense* dense) { delete dense; return 0; }

inline cusparseStatus_t cusparseCreateCsr(FakeMatrix** made, int64_t rows, int64_t columns, int64_t entries, void* offsets,
                                          void* ids, void* values, cusparseIndexType_t, cusparseIndexType_t,
                                          cusparseIndexBase_t, cudaDataType type) {
    *made = new FakeMatrix{CSR, rows, columns, entries, (int*)offsets, (int*)ids, values, type == CUDA_R_16BF};
    return 0;
}
inline cusparseStatus_t cusparseCreateCsc(FakeMatrix** made, int64_t rows, int64_t columns, int64_t entries, void* offsets,
                                          void* ids, void* values, cusparseIndexType_t, cusparseIndexType_t,
                                          cusparseIndexBase_t, cudaDataType type) {
    *made = new FakeMatrix{CSC, rows, columns, entries, (int*)offsets, (int*)ids, values, type == CUDA_R_16BF};
    return 0;
}
inline cusparseStatus_t cusparseCreateCoo(FakeMatrix** made, int64_t rows, int64_t columns, int64_t entries, void* row_ids,
                                          void* ids, void* values, cusparseIndexType_t, cusparseIndexBase_t,
                                          cudaDataType type) {
    *made = new FakeMatrix{COO, rows, columns, entries, (int*)row_ids, (int*)ids, values, type == CUDA_R_16BF};
    return 0;
}
inline cusparseStatus_t cusparseCreateDnVec(FakeDense** made, int64_t size, void* values, cudaDataType type) {
    *made = new FakeDense{size, 1, 1, values, type == CUDA_R_16BF};
    return 0;
}
inline cusparseStatus_t cusparseCreateDnMat(FakeDense** made, int64_t rows, int64_t columns, int64_t stride, void* values,
                                            cudaDataType type, cusparseOrder_t order) {
    if (order != CUSPARSE_ORDER_ROW || stride < columns) return CUSPARSE_STATUS_INVALID_VALUE;
    *made = new FakeDense{rows, columns, stride, values, type == CUDA_R_16BF};
    return 0;
}

// One thread an element of the product; entries of COO out of order, or a wrong count of entries, give NaN.
__global__ void fake_product(FakeMatrix A, FakeDense X, FakeDense Y, float alpha) {
    size_t at = this_thread();
    if (at >= A.rows * X.columns) return;
    int row = at / X.columns, column = at % X.columns;
    float sum = 0.0f;
    bool sound = A.format == COO || A.first[A.format == CSR ? A.rows : A.columns] == A.entries;
    auto add = [&](size_t entry, int id) {
        sound = sound && id >= 0 && id < A.columns;
        sum += number_at(A.values, A.bf16, entry) * number_at(X.values, X.bf16, id * X.stride + column);
    };
    if (A.format == CSR)
        for (int e = A.first[row]; e < A.first[row + 1]; ++e) add(e, A.second[e]);
    if (A.format == CSC)
        for (int c = 0; c < A.columns; ++c)
            for (int e = A.first[c]; e < A.first[c + 1]; ++e)
                if (A.second[e] == row) add(e, c);
    if (A.format == COO)
        for (int e = 0; e < A.entries; ++e) {
            sound = sound && (e == 0 || A.first[e - 1] <= A.first[e]);
            if (A.first[e] == row) add(e, A.second[e]);
        }
    put_at(Y.values, Y.bf16, row * Y.stride + column, sound ? alpha * sum : NAN);
}

inline cusparseStatus_t fake_multiply(cusparseHandle_t sparse, const void* alpha, FakeMatrix* A, FakeDense* X,
                                      const void* beta, FakeDense* Y, cudaDataType compute) {
    bool fits = X->rows == A->columns && Y->rows == A->rows && X->columns == Y->columns;
    if (!fits || compute != CUDA_R_32F || *(const float*)beta != 0.0f) return CUSPARSE_STATUS_INVALID_VALUE;
    fake_product<<<blocks_for(A->rows * X->columns), 128, 0, sparse->stream>>>(*A, *X, *Y, *(const float*)alpha);
    return 0;
}
inline cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*, FakeMatrix*, FakeDense*,
                                                const void*, FakeDense*, cudaDataType, cusparseSpMVAlg_t, size_t* bytes) {
    *bytes = 0;
    return 0;
}
inline cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                                FakeMatrix*, FakeDense*, const void*, FakeDense*, cudaDataType,
                                                cusparseSpMMAlg_t, size_t* bytes) {
    *bytes = 64;
    return 0;
}
inline cusparseStatus_t cusparseSpMV(cusparseHandle_t sparse, cusparseOperation_t, const void* alpha, FakeMatrix* A,
                                     FakeDense* x, const void* beta, FakeDense* y, cudaDataType compute, cusparseSpMVAlg_t,
                                     void*) {
    return fake_multiply(sparse, alpha, A, x, beta, y, compute);
}
inline cusparseStatus_t cusparseSpMM(cusparseHandle_t sparse, cusparseOperation_t, cusparseOperation_t, const void* alpha,
                                     FakeMatrix* A, FakeDense* X, const void* beta, FakeDense* Y, cudaDataType compute,
                                     cusparseSpMMAlg_t, void*) {
    return fake_multiply(sparse, alpha, A, X, beta, Y, compute);
}

__global__ void fake_identity(int* order, int count) {
    if (this_thread() < count) order[this_thread()] = this_thread();
}
// The place of an entry is how many come before it.
__global__ void fake_sort(const int* rows, const int* columns, const int* order, int count, int* sorted) {
    int at = this_thread();
    if (at >= count) return;
    int place = 0;
    for (int e = 0; e < count; ++e) place += rows[e] < rows[at] || (rows[e] == rows[at] && e < at);
    sorted[place] = rows[at];
    sorted[count + place] = columns[at];
    sorted[2 * count + place] = order[at];
}
inline cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t sparse, int count, int* order) {
    fake_identity<<<blocks_for(count), 128, 0, sparse->stream>>>(order, count);
    return 0;
}
inline cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t, int, int, int count, const int*, const int*,
                                                       size_t* bytes) {
    *bytes = 3 * count * sizeof(int);
    return 0;
}
inline cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t sparse, int, int, int count, int* rows, int* columns,
                                              int* order, void* buffer) {
    int* sorted = (int*)buffer;
    size_t bytes = count * sizeof(int);
    fake_sort<<<blocks_for(count), 128, 0, sparse->stream>>>(rows, columns, order, count, sorted);
    cudaMemcpyAsync(rows, sorted, bytes, cudaMemcpyDeviceToDevice, sparse->stream);
    cudaMemcpyAsync(columns, sorted + count, bytes, cudaMemcpyDeviceToDevice, sparse->stream);
    cudaMemcpyAsync(order, sorted + 2 * count, bytes, cudaMemcpyDeviceToDevice, sparse->stream);
    return 0;
}
