__global__ void copies(const float *x, float *y, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i * stride];
}

__global__ void copies_wide(const float4 *x, float4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
}

__global__ void transposes(float *y, int stride)
{
    extern __shared__ float s[];
    s[threadIdx.x * stride] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x * stride];
}

__global__ void rereads(const float *x, float *y)
{
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 10; k++)
        sum += x[threadIdx.x + (k & 1)];
    y[threadIdx.x] = sum;
}

__global__ void half_works(float *y)
{
    if (threadIdx.x < 16)
        y[threadIdx.x] = 1;
}

// Each lane walks through a buffer of its own way, twice: more lines than L1 holds, so that sets decide what is hit.
__global__ void wanders(const float *x, float *y, int n)
{
    float sum = 0;
    unsigned at = threadIdx.x * 2654435761u;
    for (int i = 0; i < 64; i++) {
        at = at * 1664525u + 1013904223u;
        sum += x[(at >> 8) % n];
    }
    y[threadIdx.x] = sum;
}

// A row of indices at a time.
__global__ void gathers(const int *indices, const float *x, float *y, int rows)
{
    float sum = 0;
#pragma unroll 1
    for (int row = 0; row < rows; row++)
        sum += x[indices[32 * row + threadIdx.x]];
    y[threadIdx.x] = sum;
}

__constant__ float table[64];

// Entries of a table in constant memory, so many lanes at a time the same.
__global__ void looks_up(float *y, int lanes)
{
    y[threadIdx.x] = table[threadIdx.x / lanes];
}
