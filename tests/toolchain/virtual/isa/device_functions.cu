#include <cstdio>
#include <cstdlib>

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ int is_odd(int n);

__device__ __noinline__ int is_even(int n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

__device__ __noinline__ int is_odd(int n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

__global__ void recurses(int *y)
{
    int i = threadIdx.x;
    y[i] = 2 * fibonacci(i % 11) + is_even(i) + fibonacci(3);
}

struct Range {
    int *data;
    int low, high;
    double weight;
};

__device__ __noinline__ double sorts(Range range)
{
    if (range.low >= range.high)
        return range.weight;
    int scratch[4] = {range.low, range.high, 0, 0};
    int pivot = range.data[range.high], place = range.low;
    for (int k = range.low; k < range.high; k++)
        if (range.data[k] < pivot) {
            int kept = range.data[k];
            range.data[k] = range.data[place];
            range.data[place++] = kept;
        }
    range.data[range.high] = range.data[place];
    range.data[place] = pivot;
    scratch[2 + (place & 1)] = place;
    double left = sorts({range.data, range.low, place - 1, range.weight / 2});
    double right = sorts({range.data, place + 1, range.high, range.weight / 2});
    return left + right + scratch[place & 1] * 1024.0 + scratch[2 + (place & 1)];
}

__global__ void sorts_rows(int *rows, double *y, int width)
{
    int *mine = rows + width * (blockIdx.x * blockDim.x + threadIdx.x);
    y[blockIdx.x * blockDim.x + threadIdx.x] = sorts({mine, 0, width - 1, 1.0});
}

struct Node {
    __device__ virtual int value(int x) const = 0;
};

struct Leaf : Node {
    int constant;
    __device__ Leaf(int c) : constant(c) {}
    __device__ int value(int x) const override { return x * constant; }
};

struct Sum : Node {
    const Node *left, *right;
    __device__ Sum(const Node *a, const Node *b) : left(a), right(b) {}
    __device__ int value(int x) const override { return left->value(x) + right->value(x + 1); }
};

struct Choice : Node {
    const Node *even, *odd;
    __device__ Choice(const Node *a, const Node *b) : even(a), odd(b) {}
    __device__ int value(int x) const override { return x % 2 ? odd->value(x / 2) : even->value(x / 2); }
};

__global__ void evaluates(int *y, int n)
{
    Leaf a(n), b(3), c(7);
    Sum first(&a, &b), second(&first, &c);
    Choice choice(&second, &first);
    Sum whole(&choice, threadIdx.x % 3 ? (const Node *)&a : (const Node *)&choice);
    y[threadIdx.x] = whole.value(threadIdx.x);
}

__global__ void allocates_on_the_stack(int *y, int n)
{
    int total = 0;
    for (int round = 0; round < 50; round++) {
        int count = (threadIdx.x + round) % n + 1;
        int *numbers = (int *)alloca(count * sizeof(int));
        for (int k = 0; k < count; k++)
            numbers[k] = k * threadIdx.x;
        for (int k = 0; k < count; k++)
            total += numbers[count - 1 - k];
    }
    y[threadIdx.x] = total;
}

__global__ void divides(unsigned __int128 *y, const unsigned __int128 *x)
{
    int i = threadIdx.x;
    y[2 * i] = x[2 * i] / x[2 * i + 1];
    y[2 * i + 1] = x[2 * i] % x[2 * i + 1];
}

struct Link {
    int number;
    Link *next;
};

__global__ void links(int *y)
{
    Link *head = nullptr;
    for (int k = 0; k <= threadIdx.x % 5; k++)
        head = new Link{k + (int)threadIdx.x, head};
    int total = 0;
    while (head) {
        Link *next = head->next;
        total = 3 * total + head->number;
        delete head;
        head = next;
    }
    void *much = malloc(1 << 30);
    y[threadIdx.x] = total + (much != nullptr);
}

__global__ void prints(float x, const char *name)
{
    int count = printf("%d|%5d|%-5d|%05d|%u|%x|%X|%o|%lld|%llu|%c|%%\n", -1, 42, 42, 42, 4000000000u, 255, 255, 8,
                       -5000000000ll, 18446744073709551615ull, 'z');
    printf("%f|%.3f|%10.2e|%g|%*.*f|%s|%10s|%.2s|%hd|%zu\n", x, x, 12345.678, 0.5, 8, 2, 3.14159, "text", "right",
           "cut", (short)-7, (size_t)9);
    printf("count %d\n", count);
    if (threadIdx.x == 1)
        printf("no arguments\n");
}

template <int N> __device__ __noinline__ int branches(int x)
{
    if (x % 7 == N % 7)
        return branches<N - 1>(x + 1) ^ N;
    return 3 * branches<N - 1>(x) + branches<N - 1>(x / 2);
}

template <> __device__ __noinline__ int branches<0>(int x)
{
    return x;
}

__global__ void calls_twice_at_each_level(int *y)
{
    y[threadIdx.x] = branches<11>(threadIdx.x);
}

__device__ __noinline__ int for_ever(int n)
{
    return n < 0 ? 1 : for_ever(n + 1) * 3 ^ for_ever(n + 2);
}

__global__ void never_returns(int *y)
{
    if (threadIdx.x == 37)
        y[0] = for_ever(threadIdx.x);
}

__global__ void takes_too_much(int *y, int n)
{
    int *numbers = (int *)alloca(n);
    numbers[y[0]] = n;
    y[threadIdx.x] = numbers[threadIdx.x];
}
