// Seven-point stencil of a cube, a thread a column.
__constant__ float weights[2] = {0.4f, 0.1f};

__global__ void stencil(const float *__restrict__ x, float *__restrict__ y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (i >= n - 1 || j >= n - 1)
        return;
    size_t plane = (size_t)n * n, place = plane + (size_t)j * n + i;
    float below = x[place - plane], here = x[place];
    for (int k = 1; k < n - 1; k++, place += plane) {
        float above = x[place + plane];
        float around = x[place - 1] + x[place + 1] + x[place - n] + x[place + n];
        y[place] = weights[0] * here + weights[1] * (around + below + above);
        below = here;
        here = above;
    }
}
