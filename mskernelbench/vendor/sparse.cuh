// cuSPARSE's products with FP32 sums. What an entry does not tell and cuSPARSE wants is learnt by a copy back, which
// is part of the arm's time, as it would be of any caller's.
#include "entry.cuh"

#include <cusparse.h>

#include <climits>

#ifdef BF16
constexpr cudaDataType SPARSE_VALUE = CUDA_R_16BF;
#else
constexpr cudaDataType SPARSE_VALUE = CUDA_R_32F;
#endif
constexpr cusparseIndexType_t IDS = CUSPARSE_INDEX_32I;
constexpr int COLUMNS_UNKNOWN = INT_MAX;  // entries of CSR and COO do not say how many: no column is beyond this

// One handle for the life of the process: making one takes milliseconds. It holds nothing of a call.
inline cusparseHandle_t sparse_on(cudaStream_t stream) {
    static cusparseHandle_t handle = [] {
        cusparseHandle_t made;
        MUST(cusparseCreate(&made));
        return made;
    }();
    MUST(cusparseSetStream(handle, stream));
    return handle;
}

// A number of the device's memory; waits for the stream.
inline int read_back(const int* place, cudaStream_t stream) {
    int value = 0;
    MUST(cudaMemcpyAsync(&value, place, sizeof(int), cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    return value;
}

// A sparse matrix as cuSPARSE is told of it.
class Sparse {
public:
    static Sparse csr(int rows, int columns, int entries, const int* offsets, const int* ids, const Value* values) {
        Sparse made(rows, columns);
        MUST(cusparseCreateCsr(&made.matrix_, rows, columns, entries, (void*)offsets, (void*)ids, (void*)values, IDS, IDS,
                               CUSPARSE_INDEX_BASE_ZERO, SPARSE_VALUE));
        return made;
    }
    static Sparse csc(int rows, int columns, int entries, const int* offsets, const int* ids, const Value* values) {
        Sparse made(rows, columns);
        MUST(cusparseCreateCsc(&made.matrix_, rows, columns, entries, (void*)offsets, (void*)ids, (void*)values, IDS, IDS,
                               CUSPARSE_INDEX_BASE_ZERO, SPARSE_VALUE));
        return made;
    }
    static Sparse coo(int rows, int entries, const int* row_ids, const int* column_ids, const Value* values) {
        Sparse made(rows, COLUMNS_UNKNOWN);
        MUST(cusparseCreateCoo(&made.matrix_, rows, COLUMNS_UNKNOWN, entries, (void*)row_ids, (void*)column_ids,
                               (void*)values, IDS, CUSPARSE_INDEX_BASE_ZERO, SPARSE_VALUE));
        return made;
    }
    Sparse(Sparse&& other) : matrix_(other.matrix_), rows_(other.rows_), columns_(other.columns_) { other.matrix_ = nullptr; }
    ~Sparse() {
        if (matrix_) cusparseDestroySpMat(matrix_);
    }

    // y = A·x
    void times_vector(const Value* x, Value* y, cudaStream_t stream) const {
        cusparseHandle_t sparse = sparse_on(stream);
        cusparseDnVecDescr_t in, out;
        MUST(cusparseCreateDnVec(&in, columns_, (void*)x, SPARSE_VALUE));
        MUST(cusparseCreateDnVec(&out, rows_, y, SPARSE_VALUE));
        const float one = 1.0f, zero = 0.0f;
        size_t bytes = 0;
        MUST(cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, in, &zero, out, CUDA_R_32F,
                                     CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
        Scratch buffer(bytes, stream);
        MUST(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, in, &zero, out, CUDA_R_32F,
                          CUSPARSE_SPMV_ALG_DEFAULT, buffer.as<void>()));
        cusparseDestroyDnVec(in);
        cusparseDestroyDnVec(out);
    }

    // Y = A·X, X and Y row-major with K columns
    void times_matrix(const Value* X, Value* Y, int K, cudaStream_t stream) const {
        cusparseHandle_t sparse = sparse_on(stream);
        cusparseDnMatDescr_t in, out;
        MUST(cusparseCreateDnMat(&in, columns_, K, K, (void*)X, SPARSE_VALUE, CUSPARSE_ORDER_ROW));
        MUST(cusparseCreateDnMat(&out, rows_, K, K, Y, SPARSE_VALUE, CUSPARSE_ORDER_ROW));
        const float one = 1.0f, zero = 0.0f;
        size_t bytes = 0;
        MUST(cusparseSpMM_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                                     matrix_, in, &zero, out, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
        Scratch buffer(bytes, stream);
        MUST(cusparseSpMM(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, in,
                          &zero, out, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer.as<void>()));
        cusparseDestroyDnMat(in);
        cusparseDestroyDnMat(out);
    }

private:
    Sparse(int rows, int columns) : rows_(rows), columns_(columns) {}
    cusparseSpMatDescr_t matrix_ = nullptr;
    int rows_, columns_;
};
