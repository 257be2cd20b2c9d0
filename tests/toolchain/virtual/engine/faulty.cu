#include <cassert>

__global__ void reads_past_the_end(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i + 3];  // line 6
}

__global__ void writes_before_the_start(float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i - 2] = y[i];  // line 13
}

__global__ void gathers(const float *x, const int *index, float *y)
{
    y[threadIdx.x] = x[index[threadIdx.x]];  // line 18
}

__global__ void reads_pairs(const char *x, float2 *y, int offset)
{
    y[threadIdx.x] = *(const float2 *)(x + offset + 8 * threadIdx.x);  // line 23
}

__global__ void shares_too_little(const float *x, float *y)
{
    extern __shared__ float s[];
    s[threadIdx.x] = x[threadIdx.x];  // line 29
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void writes_input(float *x)
{
    x[threadIdx.x] = 0;  // line 36
}

__global__ void diverges(float *y)
{
    if (threadIdx.x % 2)
        __syncthreads();  // line 42
    else
        __syncthreads();
    y[threadIdx.x] = 1;
}

__global__ void waits_for_many(float *y)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;");  // line 51
    y[threadIdx.x] = 1;
}

__global__ void polls(volatile int *flag, float *y)
{
    while (*flag == 0)  // line 57
        ;
    y[threadIdx.x] = 1;
}

__global__ void never_ends(float *y)
{
    float x = y[0];
    while (x != 2.0f)
        x = x * 0.5f + 1e-3f;
    y[0] = x;
}

__global__ void traps(int n)
{
    if (threadIdx.x == 5 && n == 1)
        asm volatile("trap;");  // line 73
    assert(n != 2);  // line 74
}

__global__ void picks(const float *x, float *y, int far)
{
    __shared__ float s[32];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    const float *from = far ? x : s;
    y[threadIdx.x] = from[threadIdx.x + far];  // line 83
}

__global__ void counts_for_ever(volatile unsigned *y)
{
    while (y[1] == 0)
        y[0]++;
}

__global__ void reads_shared_pairs(float2 *y, int offset)
{
    __shared__ float s[66];
    s[threadIdx.x] = s[threadIdx.x + 33] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = *(float2 *)(s + threadIdx.x + offset);  // line 97
}

__global__ void overruns_local(float *y, int index)
{
    float a[4];
    for (int i = 0; i < 4; i++)
        a[i] = y[i];
    a[index] = 1;  // line 105
    y[threadIdx.x] = a[index & 3];
}

__global__ void steps_out_of_its_tile(const float *x, float *y)
{
    __shared__ float tile[33];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    y[threadIdx.x] = tile[threadIdx.x + 2];  // the line of the last lane's fault
}

__global__ void counts_far(volatile unsigned *y, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        y[0]++;
}
