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

__device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void begin_copy(float *to, const float *from, unsigned long long *barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(shared_address(barrier)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(
                     shared_address(to)), "l"(from), "r"(shared_address(barrier)) : "memory");
}

__device__ void end_copy(unsigned long long *barrier, int parity)
{
    for (int done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(shared_address(barrier)), "r"(parity) : "memory");
}

// Eight kilobytes by bulk copies, each begun so many rounds of a loop before it is waited for.
__global__ void copies_in_bulk(const float *x, float *y, int ahead)
{
    __shared__ __align__(128) float tile[4][256];
    __shared__ unsigned long long barriers[4];
    float sum = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barriers + i)));
    __syncthreads();
#pragma unroll 1
    for (int begun = 0, ended = 0; ended < 8; ended++) {
#pragma unroll 1
        for (; begun < 8 && begun <= ended + ahead; begun++)
            if (threadIdx.x == 0)
                begin_copy(tile[begun % 4], x + 256 * begun, barriers + begun % 4);
        end_copy(barriers + ended % 4, ended / 4 & 1);
        for (int i = 0; i < 256; i++)
            sum += tile[ended % 4][(i + threadIdx.x) % 256];
        __syncthreads();
    }
    y[threadIdx.x] = sum;
}
