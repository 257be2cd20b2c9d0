// vendor: CUB
#include "cub.cuh"

#include <cub/device/device_radix_sort.cuh>

extern "C" void ENTRY(sorting)(Value* data, int N, cudaStream_t stream) {
    Scratch other(N * sizeof(Value), stream);
    cub::DoubleBuffer<Value> keys(data, other.as<Value>());
    in_two_steps(stream, [&](void* memory, size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(memory, bytes, keys, N, 0, 8 * (int)sizeof(Value), stream);
    });
    if (keys.Current() != data)
        MUST(cudaMemcpyAsync(data, keys.Current(), N * sizeof(Value), cudaMemcpyDeviceToDevice, stream));
}
