// Norms of one vector with CUB: its sums first, then every element by a plain kernel. What a sum comes to stays on the GPU.
#include "sums.cuh"

// output[i] = weight[i]·(input[i] − *mean)·*factor + bias[i]; a mean of nothing is 0.
__global__ void normalised(Value* output, const Value* input, const Value* weight, const Value* bias, const float* mean,
                           const float* factor, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float x = (number(input[i]) - (mean ? *mean : 0.0f)) * *factor;
    output[i] = rounded(number(weight[i]) * x + number(bias[i]));
}

// (input[i] − *mean)², likewise.
struct Distance {
    const Value* input;
    const float* mean;
    __device__ float operator()(int i) const {
        float distance = number(input[i]) - (mean ? *mean : 0.0f);
        return distance * distance;
    }
};

struct Numbers {
    const Value* input;
    __device__ float operator()(int i) const { return number(input[i]); }
};

// 1/√(sum/N + epsilon)
struct Factor {
    float share, epsilon;
    __device__ float operator()(float sum) const { return rsqrtf(sum * share + epsilon); }
};

// With the mean taken off, or without.
inline void normalise(Value* output, const Value* input, const Value* weight, const Value* bias, float epsilon, int N,
                      bool centred, cudaStream_t stream) {
    Scratch sums(2 * sizeof(float), stream);
    float *factor = sums.as<float>(), *mean = centred ? factor + 1 : nullptr;
    if (centred) sum_over(N, Numbers{input}, mean, Scaled{1.0f / N}, stream);
    sum_over(N, Distance{input, mean}, factor, Factor{1.0f / N, epsilon}, stream);
    normalised<<<(N - 1) / 256 + 1, 256, 0, stream>>>(output, input, weight, bias, mean, factor, N);
}
