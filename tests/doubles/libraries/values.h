// Numbers of the two types that the doubles of NVIDIA's libraries take.
#pragma once
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <library_types.h>

__device__ inline float number_at(const void* values, int bf16, size_t at) {
    return bf16 ? __bfloat162float(((const __nv_bfloat16*)values)[at]) : ((const float*)values)[at];
}

__device__ inline void put_at(void* values, int bf16, size_t at, float number) {
    if (bf16) ((__nv_bfloat16*)values)[at] = __float2bfloat16(number);
    else ((float*)values)[at] = number;
}

__device__ inline size_t this_thread() { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }
inline unsigned blocks_for(size_t threads) { return (unsigned)((threads + 127) / 128); }
