// Rows padded to one length with the column −1, which cuSPARSE does not know in rows: they are packed to CSR first.
#include "cub.cuh"
#include "sparse.cuh"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

struct RowLength {
    const int* ids;
    int width;
    __device__ int operator()(int row) const {
        int length = 0;
        while (length < width && ids[(size_t)row * width + length] >= 0) ++length;
        return length;
    }
};

__global__ void pack_rows(int rows, int width, const int* ids, const Value* values, const int* offsets, int* packed_ids,
                          Value* packed) {
    int row = blockIdx.x;
    int first = offsets[row], length = offsets[row + 1] - first;
    for (int e = threadIdx.x; e < length; e += blockDim.x) {
        packed_ids[first + e] = ids[(size_t)row * width + e];
        packed[first + e] = values[(size_t)row * width + e];
    }
}

// `use` of the matrix, whose entries live no longer than its call.
template <class Use>
void with_matrix_of_padded_rows(int rows, int width, const Value* values, const int* col_ids, cudaStream_t stream,
                                Use use) {
    size_t slots = (size_t)rows * width;
    Scratch offsets((rows + 1) * sizeof(int), stream), ids(slots * sizeof(int), stream), packed(slots * sizeof(Value), stream);
    MUST(cudaMemsetAsync(offsets.as<int>(), 0, sizeof(int), stream));
    auto lengths = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), RowLength{col_ids, width});
    in_two_steps(stream, [&](void* memory, size_t& bytes) {
        return cub::DeviceScan::InclusiveSum(memory, bytes, lengths, offsets.as<int>() + 1, rows, stream);
    });
    pack_rows<<<rows, 128, 0, stream>>>(rows, width, col_ids, values, offsets.as<int>(), ids.as<int>(), packed.as<Value>());
    int entries = read_back(offsets.as<int>() + rows, stream);
    use(Sparse::csr(rows, COLUMNS_UNKNOWN, entries, offsets.as<int>(), ids.as<int>(), packed.as<Value>()));
}
