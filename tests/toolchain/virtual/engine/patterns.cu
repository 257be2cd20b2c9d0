// One access by one warp, at places that the test chooses.
#include <cuda_pipeline.h>

template <class T>
__device__ void gathers(const T *x, const int *places, T *y)
{
    y[threadIdx.x] = x[places[threadIdx.x]];
}

extern "C" __global__ void gathers_1(const char *x, const int *places, char *y) { gathers(x, places, y); }
extern "C" __global__ void gathers_4(const float *x, const int *places, float *y) { gathers(x, places, y); }
extern "C" __global__ void gathers_8(const float2 *x, const int *places, float2 *y) { gathers(x, places, y); }
extern "C" __global__ void gathers_16(const float4 *x, const int *places, float4 *y) { gathers(x, places, y); }

extern "C" __global__ void scatters(const float *x, const int *places, float *y)
{
    y[places[threadIdx.x]] = x[threadIdx.x];
}

extern "C" __global__ void gathers_again(const float *x, const int *places, float *y)
{
    const float *from = x + places[threadIdx.x];
    float value = 0;
#pragma unroll 1
    for (int time = 0; time < 3; time++)
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from));
    y[threadIdx.x] = value;
}

extern "C" __global__ void scatters_again(const float *x, const int *places, float *y)
{
    float *to = y + places[threadIdx.x];
#pragma unroll 1
    for (int time = 0; time < 3; time++)
        asm volatile("st.global.f32 [%0], %1;" : : "l"(to), "f"(x[threadIdx.x]));
}

template <class T>
__device__ void from_shared(const T *x, const int *places, T *y)
{
    extern __shared__ char memory[];
    volatile int *word = reinterpret_cast<volatile int *>(memory);
    word[threadIdx.x] = 0;
    __syncthreads();
    y[threadIdx.x] = reinterpret_cast<T *>(memory)[places[threadIdx.x]];
}

extern "C" __global__ void shared_1(const char *x, const int *places, char *y) { from_shared(x, places, y); }
extern "C" __global__ void shared_4(const float *x, const int *places, float *y) { from_shared(x, places, y); }
extern "C" __global__ void shared_8(const float2 *x, const int *places, float2 *y) { from_shared(x, places, y); }
extern "C" __global__ void shared_16(const float4 *x, const int *places, float4 *y) { from_shared(x, places, y); }

extern "C" __global__ void shared_adds(const int *x, const int *places, int *y)
{
    extern __shared__ int counters[];
    counters[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counters[places[threadIdx.x]], 1 + threadIdx.x);
    __syncthreads();
    y[threadIdx.x] = counters[threadIdx.x];
}

extern "C" __global__ void global_adds(const int *x, const int *places, int *y)
{
    atomicAdd(&y[places[threadIdx.x]], 1 + threadIdx.x);
}

extern "C" __global__ void matrices(const int *x, const int *places, int *y)
{
    extern __shared__ __align__(16) char rows[];
    unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(rows)) + 16 * places[threadIdx.x];
    int a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(place));
    y[threadIdx.x] = a + b + c + d;
}

extern "C" __global__ void copies_async(const float4 *x, const int *places, float4 *y)
{
    extern __shared__ float4 tile[];
    __pipeline_memcpy_async(&tile[threadIdx.x], &x[places[threadIdx.x]], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    y[threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void one_of_two(const int *x, const int *places, int *y)
{
    if (places[threadIdx.x])
        atomicAdd(&y[1], 1 + threadIdx.x);
    else
        atomicOr(&y[8], 1 + threadIdx.x);
}

/* 1024 accesses without a branch, rows of neighbours and single words, which 32 scattered ones interrupt. */
extern "C" __global__ void many_in_a_row(const float *x, const int *places, float *y)
{
    int place = 32 * places[threadIdx.x];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 32; i++) {
#pragma unroll
        for (int j = 0; j < 16; j++)
            sum += __ldcv(&x[16 * i + j]) + __ldcv(&x[32 * j + threadIdx.x]);
        sum += __ldcv(&x[place]);
    }
    y[threadIdx.x] = sum;
}
