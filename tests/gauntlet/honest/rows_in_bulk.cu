// rows come and go as bulk copies, counted by the library's barrier
// gauntlet: operator=reverse_array precision=fp32
#include <cuda_runtime.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cstdint>
namespace ptx = cuda::ptx;
constexpr int T = 1024;
__global__ void rev_bulk(float* out, const float* in, int n) {
    __shared__ alignas(128) float src[T];
    __shared__ alignas(128) float dst[T];
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier bar;
    if (threadIdx.x == 0) { init(&bar, blockDim.x); ptx::fence_proxy_async(ptx::space_shared); }
    __syncthreads();
    int base = blockIdx.x * T;
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(src, in + base, cuda::aligned_size_t<16>(sizeof src), bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof src);
    } else token = bar.arrive();
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < T; i += blockDim.x) dst[T - 1 - i] = src[i];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + (n - base - T), dst, sizeof dst);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
__global__ void rev(float* out, const float* in, int from, int n) {
    int i = from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}
extern "C" void reverse_array(float* output, float* input, int N, cudaStream_t stream) {
    bool ok = N % 4 == 0 && (((uintptr_t)input | (uintptr_t)output) & 15) == 0;
    int full = ok ? N / T : 0;
    if (full) rev_bulk<<<full, 256, 0, stream>>>(output, input, N);
    int rest = N - full * T;
    if (rest) rev<<<(rest + 255) / 256, 256, 0, stream>>>(output, input, full * T, N);
}
