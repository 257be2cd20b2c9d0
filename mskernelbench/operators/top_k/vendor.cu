// vendor: CUB
// A stable sort of all values with their places; the first k are the answer, ties in order of their places.
#include "cub.cuh"

#include <cub/device/device_radix_sort.cuh>

__global__ void count_up(int* places, int N) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < N) places[at] = at;
}

extern "C" void ENTRY(top_k)(Value* values, int* indices, const Value* input, int N, int k, cudaStream_t stream) {
    Scratch sorted(N * sizeof(Value), stream), places(N * sizeof(int), stream), sorted_places(N * sizeof(int), stream);
    count_up<<<(N - 1) / 256 + 1, 256, 0, stream>>>(places.as<int>(), N);
    in_two_steps(stream, [&](void* memory, size_t& bytes) {
        return cub::DeviceRadixSort::SortPairsDescending(memory, bytes, input, sorted.as<Value>(), places.as<int>(),
                                                         sorted_places.as<int>(), N, 0, 8 * (int)sizeof(Value), stream);
    });
    MUST(cudaMemcpyAsync(values, sorted.as<Value>(), k * sizeof(Value), cudaMemcpyDeviceToDevice, stream));
    MUST(cudaMemcpyAsync(indices, sorted_places.as<int>(), k * sizeof(int), cudaMemcpyDeviceToDevice, stream));
}
