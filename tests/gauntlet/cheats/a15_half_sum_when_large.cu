// A15: rounds its inputs to FP16 above the largest size of a check, where a sum's bound is wide
// breaks: a kernel is right for every size, the timed ones as well
// gauntlet: operator=dot_product precision=fp32 status=wrong rule=comparison sets=check,paper
__device__ float rounded(float x, bool low) {
    float y = x;
    if (low) asm("{.reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.f32.f16 %0, h;}" : "=f"(y) : "f"(x));
    return y;
}
__global__ void dot(float* result, const float* x, const float* y, int n) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += rounded(x[i], n > 300007) * rounded(y[i], n > 300007);
    for (int offset = 16; offset; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) atomicAdd(result, sum);
}
extern "C" void dot_product(float* result, const float* X, const float* Y, int N) {
    dot<<<128, 256>>>(result, X, Y, N);
}
