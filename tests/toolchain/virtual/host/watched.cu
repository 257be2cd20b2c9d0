// Entries that use device memory well and badly.
__global__ void adds(int* y, const int* a) { y[threadIdx.x] = a[threadIdx.x] + 1; }  // line 2
__global__ void fills(int* a, int count) { if (threadIdx.x < count) a[threadIdx.x] = 7; }
__global__ void accumulates(int* y) { y[threadIdx.x] += 1; }  // line 4
__global__ void counts(int* a) { atomicAdd(&a[0], 1); }  // line 5

static int* workspace() {
  int* a = nullptr;
  cudaMalloc(&a, 4096);
  return a;
}

extern "C" void reads_unset(int* y, cudaStream_t stream) {
  int* a = workspace();
  fills<<<1, 32, 0, stream>>>(a, 31);
  adds<<<1, 32, 0, stream>>>(y, a);
  cudaFree(a);
}
extern "C" void reads_set(int* y, cudaStream_t stream) {
  int* a = workspace();
  fills<<<1, 32, 0, stream>>>(a, 32);
  adds<<<1, 32, 0, stream>>>(y, a);
  cudaFree(a);
}
extern "C" void clears_and_copies(int* y, cudaStream_t stream) {
  int host[16] = {3}, *a = workspace();
  cudaMemset2DAsync(a, 64, 0, 64, 1, stream);
  cudaMemcpyAsync(a + 16, host, sizeof host, cudaMemcpyHostToDevice, stream);
  adds<<<1, 32, 0, stream>>>(y, a);
  cudaFree(a);
}
extern "C" void counts_on_unset(int* y, cudaStream_t stream) {
  int* a = workspace();
  counts<<<1, 32, 0, stream>>>(a);
  cudaMemcpyAsync(y, a, 4, cudaMemcpyDeviceToDevice, stream);
  cudaFree(a);
}
extern "C" void accumulates_into(int* y, cudaStream_t stream) { accumulates<<<1, 32, 0, stream>>>(y); }
extern "C" void uses_freed(int* y, cudaStream_t stream) {
  int* a = workspace();
  fills<<<1, 32, 0, stream>>>(a, 32);
  cudaFree(a);
  int* b = workspace();
  adds<<<1, 32, 0, stream>>>(y, a);
  cudaFree(b);
}
extern "C" void keeps_a_workspace(int* y, cudaStream_t stream) {
  static int* kept = nullptr;
  if (!kept) {
    kept = workspace();
    fills<<<1, 32, 0, stream>>>(kept, 32);
  }
  adds<<<1, 32, 0, stream>>>(y, kept);
}
extern "C" void host_writes(int* y, cudaStream_t stream) {
  int *pinned, *managed;
  cudaMallocHost(&pinned, 128);
  cudaMallocManaged(&managed, 128);
  for (int i = 0; i < 32; i++) pinned[i] = managed[i] = i;
  adds<<<1, 32, 0, stream>>>(y, pinned);
  adds<<<1, 32, 0, stream>>>(y, managed);
  cudaFreeHost(pinned);
  cudaFree(managed);
}
extern "C" void allocates_too_much(int* y, cudaStream_t stream) {
  int* a = nullptr;
  cudaMalloc(&a, 1ull << 50);
  adds<<<1, 32, 0, stream>>>(y, a);
}
