// CUB's sums over whatever a functor gives for each index.
#include "cub.cuh"

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

// *result = finish(Σ term(i) over 0 ≤ i < count), summed in FP32.
template <class Term, class Finish, class Result>
void sum_over(int count, Term term, Result* result, Finish finish, cudaStream_t stream) {
    in_two_steps(stream, [&](void* memory, size_t& bytes) {
        return cub::DeviceReduce::TransformReduce(memory, bytes, thrust::counting_iterator<int>(0),
                                                  thrust::make_transform_output_iterator(result, finish), count,
                                                  cuda::std::plus<float>{}, term, 0.0f, stream);
    });
}

// A sum times a factor, as a value of the result's type.
struct Scaled {
    float factor;
    __device__ float operator()(float sum) const { return factor * sum; }
};
struct ScaledValue {
    float factor;
    __device__ Value operator()(float sum) const { return rounded(factor * sum); }
};
