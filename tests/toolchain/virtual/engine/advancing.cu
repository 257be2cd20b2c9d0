// Loops whose registers stay as they are from one round to the next: what changes is in memory, or the time.

__global__ void counts_in_global(int *count, int n)
{
    while (atomicAdd(count, 1) < n)
        ;
}

__global__ void counts_in_shared(int *y, int n)
{
    __shared__ volatile int count;
    count = 0;
    while (count < n)
        count = count + 1;
    *y = count;
}

// One block counts for another, which only looks.
__global__ void counts_for_another(volatile int *count, int n, volatile int *seen)
{
    if (blockIdx.x) {
        while (*count < n)
            ;
        *seen = 1;
    } else {
        while (*count < n)
            *count = *count + 1;
    }
}

__global__ void waits_for_the_clock(int *y, long long n)
{
    long long begun = clock64();
    while (clock64() - begun < n)
        ;
    *y = 1;
}

// A flag, and a word that is written beside it again and again: nothing gets anywhere.
__global__ void turns_in_circles(volatile int *flag, volatile int *other)
{
    while (!*flag)
        *other = 1;
}
