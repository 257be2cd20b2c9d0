// silu(gate) * up of bf16 numbers, sixteen bytes a thread.
#include <cuda_bf16.h>

__device__ __nv_bfloat162 gated(__nv_bfloat162 gate, __nv_bfloat162 up)
{
    float2 g = __bfloat1622float2(gate), u = __bfloat1622float2(up);
    return __floats2bfloat162_rn(g.x / (1 + __expf(-g.x)) * u.x, g.y / (1 + __expf(-g.y)) * u.y);
}

__global__ void swiglu_bf16(const uint4 *__restrict__ gate, const uint4 *__restrict__ up, uint4 *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uint4 g = gate[i], u = up[i], o;
    const __nv_bfloat162 *gs = (const __nv_bfloat162 *)&g, *us = (const __nv_bfloat162 *)&u;
    __nv_bfloat162 *os = (__nv_bfloat162 *)&o;
#pragma unroll
    for (int k = 0; k < 4; k++)
        os[k] = gated(gs[k], us[k]);
    out[i] = o;
}
