// Twenty kernels whose results are the same on every GPU; nvcc writes different PTX for each.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void

// Each thread has a number of its own, exact in every type.
__device__ float number(int i) { return (float)(i % 37 - 18) * 0.25f; }

KERNEL arithmetic(float *y)
{
    int i = threadIdx.x;
    float x = number(i), z = number(i * 7 + 3);
    y[i] = x * z + x / (z * z + 1.0f) - sqrtf(fabsf(x)) + fminf(x, z) * fmaxf(x, z) + rintf(x * 3.3f);
}

KERNEL pairs_of_floats(float *y)
{
    int i = threadIdx.x;
    float2 a = make_float2(number(i), number(i + 1)), b = make_float2(number(i + 2), number(i + 5)), c = {0, 0};
#pragma unroll
    for (int k = 0; k < 8; k++) {
        c.x = fmaf(a.x, b.x, c.x), c.y = fmaf(a.y, b.y, c.y);
        a.x += c.x * 0.125f, a.y += c.y * 0.125f;
    }
    y[i] = c.x + c.y;
}

KERNEL transcendental(float *y)
{
    int i = threadIdx.x;
    float x = number(i);
    y[i] = expf(x) + logf(fabsf(x) + 1) + sinf(x) * cosf(x) + powf(fabsf(x) + 1, 1.5f) + tanhf(x) + erff(x) + log1pf(x * x);
}

KERNEL doubles(float *y)
{
    int i = threadIdx.x;
    double x = number(i), z = x * x + 1;
    y[i] = (float)(sqrt(z) / (z + 3) + exp(-x * x) + fma(x, z, -1.0) + floor(x * 1.7) + (double)(long long)(x * 9));
}

KERNEL integers(int *y)
{
    int i = threadIdx.x, a = i * 2654435761u, b = i * i - 900;
    long long wide = (long long)a * b - 77;
    y[i] = (int)(wide / (b | 1)) ^ (int)(wide % 1000003) ^ __popc(a) << 3 ^ __clz(b) ^ __brev(a) ^ __byte_perm(a, b, 0x3715)
           ^ __funnelshift_l(a, b, i) ^ __mulhi(a, b) ^ __dp4a(a, b, i) ^ __vadd4(a, b) ^ __vmaxs2(a, b) ^ __ffs(b);
}

KERNEL wide_integers(int *y)
{
    int i = threadIdx.x;
    unsigned __int128 a = (unsigned __int128)(0x123456789abcdefull * (i + 1)) << 37, b = (unsigned)(i * 977 + 1);
    y[i] = (int)(a / b) ^ (int)(a % b) ^ (int)(a >> 70);
}

KERNEL brain_floats(float *y)
{
    int i = threadIdx.x;
    float low = number(i), high = number(i + 9);
#if __CUDA_ARCH__ >= 800
    __nv_bfloat162 x = __hfma2(__floats2bfloat162_rn(low, high), __float2bfloat162_rn(0.5f), __float2bfloat162_rn(1.0f));
#else
    __nv_bfloat162 x = __floats2bfloat162_rn(fmaf(low, 0.5f, 1), fmaf(high, 0.5f, 1));
#endif
    y[i] = __low2float(x) * 3 - __high2float(x) + __bfloat162float(__float2bfloat16_rz(low * 0.3f));
}

KERNEL half_floats(float *y)
{
    int i = threadIdx.x;
    __half2 x = __floats2half2_rn(number(i), number(i + 9)), z = __float2half2_rn(0.5f);
    x = __hfma2(x, z, __hmin2(x, z));
    y[i] = __half2float(__hadd(__low2half(x), __high2half(x))) + __half2float(__hdiv(__low2half(x), __float2half(4.0f)));
}

KERNEL shuffles(int *y)
{
    int i = threadIdx.x, sum = i * i;
    for (int step = 16; step; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    unsigned odd = __ballot_sync(~0u, i % 3 == 1), same = __match_any_sync(~0u, i / 5);
    y[i] = sum + __popc(odd) + (int)same + __shfl_up_sync(~0u, i, 3) + __shfl_sync(~0u, i, 5, 8) + __any_sync(~0u, i == 9);
}

KERNEL warp_sums(int *y)
{
    int i = threadIdx.x;
#if __CUDA_ARCH__ >= 800
    y[i] = __reduce_add_sync(~0u, i) + __reduce_max_sync(~0u, i * 7 % 31);
#else
    int sum = i, most = i * 7 % 31;
    for (int step = 16; step; step /= 2) {
        sum += __shfl_xor_sync(~0u, sum, step);
        most = max(most, __shfl_xor_sync(~0u, most, step));
    }
    y[i] = sum + most;
#endif
}

KERNEL sums_in_shared_memory(float *y)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    s[i] = number(i);
    for (int step = 32; step; step /= 2) {
        __syncthreads();
        if (i < step)
            s[i] += s[i + step];
    }
    __syncthreads();
    y[i] = s[0] + i + __syncthreads_count(i % 2);
}

KERNEL updates(float *y)
{
    __shared__ unsigned most;
    __shared__ float total;
    __shared__ unsigned long long wide;
    int i = threadIdx.x;
    if (i == 0)
        most = 0, total = 0, wide = 0;
    __syncthreads();
    atomicMax(&most, i * 7 % 50u);
    atomicAdd(&total, number(i));
    atomicAdd(&wide, 1ull << 33);
    __syncthreads();
    y[i] = total + most + (float)(wide >> 33);
    atomicAdd(&y[i], 0.5f);
}

KERNEL narrow_updates(float *y)
{
    __shared__ __half2 pair;
    __shared__ __nv_bfloat16 one;
    int i = threadIdx.x;
    if (i == 0)
        pair = __float2half2_rn(0), one = __float2bfloat16(0);
    __syncthreads();
    atomicAdd(&pair, __floats2half2_rn(1, 2));
    atomicAdd(&one, __float2bfloat16(1));
    __syncthreads();
    y[i] = __low2float(pair) + __high2float(pair) + __bfloat162float(one);
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

KERNEL recursion(int *y) { y[threadIdx.x] = fibonacci(threadIdx.x % 12); }

__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
typedef int (*Function)(int);
__device__ Function const functions[] = {twice, square};

KERNEL pointers_to_functions(int *y) { y[threadIdx.x] = functions[threadIdx.x % 2](threadIdx.x); }

KERNEL branches(int *y)
{
    int i = threadIdx.x, x = i;
    for (int k = 0; k < i % 5; k++)
        switch ((i + k) % 7) {
        case 0: x += 3; break;
        case 1: x *= 5; break;
        case 2: x ^= 9; continue;
        case 3: x -= k; break;
        case 4: x <<= 1; break;
        default: x = -x;
        }
    y[i] = x;
}

KERNEL local_arrays(float *y)
{
    float kept[40];
    int i = threadIdx.x;
    for (int k = 0; k < 40; k++)
        kept[k] = number(k * i);
    y[i] = kept[i % 40] + kept[i * 3 % 40];
}

__constant__ float4 table[4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};

KERNEL vectors(float4 *y)
{
    int i = threadIdx.x;
    float4 a = table[i % 4];
    if (i < 16)
        y[i] = make_float4(a.w + i, a.z, a.y * 2, a.x);
}

KERNEL matrix_products(float *y)
{
    int lane = threadIdx.x % 32;
    __half2 a[2] = {__floats2half2_rn(lane % 5, 1), __floats2half2_rn(2, lane % 3)}, b = __floats2half2_rn(lane % 4, 3);
    float d[4] = {};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(*(unsigned *)&a[0]), "r"(*(unsigned *)&a[1]), "r"(*(unsigned *)&b));
    y[threadIdx.x] = d[0] + 2 * d[1] + 3 * d[2] + 4 * d[3];
}

KERNEL copies(float *y)
{
    __shared__ float s[64];
    int i = threadIdx.x;
    y[i] = number(i);
#if __CUDA_ARCH__ >= 800
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[i]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(to), "l"(&y[i]) : "memory");
#else
    s[i] = y[i];
#endif
    __syncthreads();
    y[i] = s[63 - i];
}
