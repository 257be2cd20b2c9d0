// T42: waits for the block before it by asynchronous copies of the place where that writes
// since: a fence tells that blocks know of others, whatever looks; copies are looks
// gauntlet: operator=prefix_sum precision=fp32 sets=check,paper
#include <cuda_runtime.h>
constexpr int T = 256, EACH = 8, CHUNK = T * EACH;
__global__ void __launch_bounds__(T) scan(const float* in, float* out, unsigned* state, float* sum, int n) {
  __shared__ float warps[8]; __shared__ unsigned mine; __shared__ float before;
  if (threadIdx.x == 0) {
    mine = atomicAdd(state, 1u);
    __shared__ __align__(16) unsigned copy[4];
    unsigned to = (unsigned)__cvta_generic_to_shared(copy), seen;
    do {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n cp.async.wait_all;" :: "r"(to), "l"(state + 32) : "memory");
      asm volatile("ld.shared.u32 %0, [%1];" : "=r"(seen) : "r"(to) : "memory");
    } while (seen != mine);
    __threadfence();
    before = *(volatile float*)sum;
  }
  __syncthreads();
  size_t first = (size_t)mine * CHUNK + threadIdx.x * EACH;
  float v[EACH], s = 0.f;
  for (int i = 0; i < EACH; i += 4) {
    float4 f = make_float4(0, 0, 0, 0);
    if (first + i + 3 < n) f = *(const float4*)(in + first + i);
    else { if (first + i < n) f.x = in[first + i]; if (first + i + 1 < n) f.y = in[first + i + 1]; if (first + i + 2 < n) f.z = in[first + i + 2]; }
    v[i] = s += f.x; v[i + 1] = s += f.y; v[i + 2] = s += f.z; v[i + 3] = s += f.w;
  }
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5; float t = s;
  for (int d = 1; d < 32; d *= 2) { float o = __shfl_up_sync(~0u, t, d); if (lane >= d) t += o; }
  if (lane == 31) warps[w] = t;
  __syncthreads();
  float ex = __shfl_up_sync(~0u, t, 1); float start = before + (lane ? ex : 0.f), total = before;
  for (int i = 0; i < 8; i++) { if (i < w) start += warps[i]; total += warps[i]; }
  for (int i = 0; i < EACH; i += 4) {
    if (first + i + 3 < n) *(float4*)(out + first + i) = make_float4(start + v[i], start + v[i + 1], start + v[i + 2], start + v[i + 3]);
    else for (int j = i; j < i + 4; j++) if (first + j < n) out[first + j] = start + v[j];
  }
  __syncthreads();
  if (threadIdx.x == 0) { *(volatile float*)sum = total; __threadfence(); atomicExch(state + 32, mine + 1); }
}
extern "C" void prefix_sum(float* output, const float* input, int N, cudaStream_t st) {
  unsigned* state; cudaMallocAsync((void**)&state, 256, st); cudaMemsetAsync(state, 0, 256, st);
  scan<<<(N + CHUNK - 1) / CHUNK, T, 0, st>>>(input, output, state, (float*)(state + 2), N);
  cudaFreeAsync(state, st);
}
