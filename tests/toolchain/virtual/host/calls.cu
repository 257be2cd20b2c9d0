// Host code that uses the runtime in every way the tests ask about. Each entry reports through `out`.
#include <cuda_runtime.h>

__device__ int counter = 7;
__constant__ float table[4];
__managed__ int managed = 5;

__global__ void scale(float* x, float factor, char letter, double wide) { x[threadIdx.x] *= factor + letter + wide; }
__global__ void uses_all(int* out) { out[0] = counter + (int)table[0] + managed; }
__global__ void with_shared(float* x) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[threadIdx.x ^ 1];
}
__global__ void __launch_bounds__(128) bounded(float* x) { x[threadIdx.x] = 1; }
__global__ void __cluster_dims__(2, 1, 1) clustered(float* x) { x[threadIdx.x] = 1; }

static float* buffer() {
  static float* kept = nullptr;
  if (!kept) cudaMalloc(&kept, 4096);
  return kept;
}

extern "C" int packs_parameters(int*, cudaStream_t stream) {
  scale<<<dim3(3, 2, 1), dim3(64, 1, 2), 16, stream>>>((float*)0x1234, 1.5f, 'c', 2.25);
  return cudaGetLastError();
}

extern "C" int copies_symbols(int* out, cudaStream_t stream) {
  float values[4] = {1, 2, 3, 4}, back[2];
  cudaMemcpyToSymbol(table, values, sizeof values);
  cudaMemcpyFromSymbolAsync(back, table, 8, 8, cudaMemcpyDeviceToHost, stream);
  out[0] = (int)back[0], out[1] = (int)back[1];
  cudaMemcpyFromSymbol(&out[2], counter, 4);
  void* address;
  size_t bytes;
  cudaGetSymbolAddress(&address, counter);
  cudaGetSymbolSize(&bytes, table);
  out[3] = *(int*)address, out[4] = (int)bytes;
  out[5] = cudaMemcpyToSymbol(table, values, 8, 12);
  out[6] = managed;
  managed = 9;
  out[7] = managed;
  return cudaGetLastError();
}

extern "C" int copies_planes(int* out, cudaStream_t stream) {
  int host[4][3], back[4][2];
  for (int i = 0; i < 12; i++) host[i / 3][i % 3] = i;
  int* device;
  size_t pitch;
  cudaMallocPitch(&device, &pitch, 12, 4);
  cudaMemset2DAsync(device, pitch, 0, 12, 4, stream);
  cudaMemcpy2D(device, pitch, host, 12, 12, 4, cudaMemcpyHostToDevice);
  cudaMemcpy2DAsync(back, 8, (char*)device + 4, pitch, 8, 4, cudaMemcpyDeviceToHost, stream);
  for (int i = 0; i < 8; i++) out[i] = back[i / 2][i % 2];
  out[8] = cudaMemcpy2D(device, 8, host, 12, 12, 4, cudaMemcpyHostToDevice);
  out[9] = pitch % 512;
  return cudaFree(device);
}

extern "C" int checks_copies(int* out, cudaStream_t) {
  char host[64];
  char* device;
  cudaMalloc(&device, 32);
  out[0] = cudaMemcpy(device, host, 33, cudaMemcpyHostToDevice);
  out[1] = cudaMemcpy(host, device, 32, cudaMemcpyDeviceToHost);
  out[2] = cudaMemcpy(device, host, 32, (cudaMemcpyKind)9);
  out[3] = cudaMemcpy(host, host + 8, 8, cudaMemcpyHostToDevice);
  out[4] = cudaMemset(device + 30, 0, 4);
  out[5] = cudaMemcpy(nullptr, host, 4, cudaMemcpyDefault);
  out[6] = cudaFree(device);
  out[7] = cudaFree(device);
  out[8] = cudaGetLastError();
  out[9] = cudaGetLastError();
  return 0;
}

extern "C" int allocates(int* out, cudaStream_t stream) {
  unsigned char* device;
  unsigned char *managed_memory, *pinned;
  cudaMallocAsync(&device, 64, stream);
  out[0] = device[0], out[1] = device[63];
  out[2] = cudaMalloc((void**)&managed_memory, size_t(1) << 30);
  out[3] = managed_memory == nullptr;
  cudaMallocManaged(&managed_memory, 64);
  cudaMallocHost(&pinned, 64);
  cudaPointerAttributes attributes;
  unsigned char* pointers[3] = {device, managed_memory, pinned};
  for (int i = 0; i < 3; i++) cudaPointerGetAttributes(&attributes, pointers[i]), out[4 + i] = attributes.type;
  cudaPointerGetAttributes(&attributes, out), out[7] = attributes.type;
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  unsigned long long threshold = 1 << 20, kept = 0;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
  out[8] = (int)kept;
  cudaFreeAsync(device, stream), cudaFree(managed_memory), cudaFreeHost(pinned);
  out[9] = cudaMalloc((void**)&device, 0), out[10] = device == nullptr;
  return cudaPeekAtLastError();
}

extern "C" int leaks(int*, cudaStream_t) {
  void* lost;
  return cudaMalloc(&lost, 1000);
}

static int after(cudaError_t) { return cudaGetLastError(); }

extern "C" int bad_launches(int* out, cudaStream_t stream) {
  float* x = buffer();
  scale<<<0, 32>>>(x, 1, 1, 1), out[0] = cudaGetLastError();
  scale<<<1, 1025>>>(x, 1, 1, 1), out[1] = cudaGetLastError();
  scale<<<1, dim3(1, 1, 65)>>>(x, 1, 1, 1), out[2] = cudaGetLastError();
  scale<<<dim3(1, 65536), 1>>>(x, 1, 1, 1), out[3] = cudaGetLastError();
  scale<<<1, 32, 48 * 1024 + 1>>>(x, 1, 1, 1), out[4] = cudaGetLastError();
  bounded<<<1, 129>>>(x), out[5] = cudaGetLastError();
  clustered<<<3, 32>>>(x), out[6] = cudaGetLastError();
  scale<<<1, 32, 0, (cudaStream_t)0x10>>>(x, 1, 1, 1), out[7] = cudaGetLastError();
  void* arguments[] = {&x};
  out[8] = after(cudaLaunchCooperativeKernel((void*)with_shared, dim3(132 * 32 + 1), dim3(1024), arguments, 0, stream));
  out[9] = after(cudaLaunchKernel((void*)after, dim3(1), dim3(1), arguments, 0, stream));
  return 0;
}

extern "C" int launches_nothing(int*, cudaStream_t) { return scale<<<0, 32>>>(buffer(), 1, 1, 1), 0; }
extern "C" int launches_many_threads(int*, cudaStream_t) { return scale<<<1, dim3(64, 32)>>>(buffer(), 1, 1, 1), 0; }
extern "C" int launches_tall_grids(int*, cudaStream_t) { return scale<<<dim3(1, 65536), 1>>>(buffer(), 1, 1, 1), 0; }
extern "C" int shares_too_much(int*, cudaStream_t) { return scale<<<1, 32, 300000>>>(buffer(), 1, 1, 1), 0; }
extern "C" int shares_unasked(int*, cudaStream_t) { return scale<<<1, 32, 50000>>>(buffer(), 1, 1, 1), 0; }
extern "C" int breaks_bounds(int*, cudaStream_t) { return bounded<<<1, 256>>>(buffer()), 0; }
extern "C" int splits_clusters(int*, cudaStream_t) { return clustered<<<3, 32>>>(buffer()), 0; }

extern "C" int launches_wide(int* out, cudaStream_t stream) {
  scale<<<1, 256, 0, stream>>>(buffer(), 1, 1, 1), out[0] = cudaGetLastError();
  scale<<<1, 512, 0, stream>>>(buffer(), 1, 1, 1), out[1] = cudaGetLastError();
  return 0;
}

extern "C" int opts_in_to_shared(int* out, cudaStream_t stream) {
  float* x = buffer();
  out[0] = cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024);
  with_shared<<<1, 32, 227 * 1024, stream>>>(x), out[1] = cudaGetLastError();
  out[2] = cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, with_shared);
  out[3] = attributes.maxDynamicSharedSizeBytes;
  return 0;
}

extern "C" int launches_cooperatively(int*, cudaStream_t stream) {
  float* x = buffer();
  void* arguments[] = {&x};
  return cudaLaunchCooperativeKernel((void*)with_shared, dim3(8), dim3(32), arguments, 128, stream);
}

extern "C" int launches_with_attributes(int*, cudaStream_t stream) {
  cudaLaunchConfig_t config = {};
  config.gridDim = 4, config.blockDim = 32, config.stream = stream;
  cudaLaunchAttribute attributes[2];
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = 2, attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = attributes, config.numAttrs = 2;
  return cudaLaunchKernelEx(&config, bounded, buffer());
}

static void mark(void* place) { *(int*)place += 100; }

extern "C" int replays_a_graph(int* out, cudaStream_t stream) {
  float* x = buffer();
  cudaStream_t side;
  cudaEvent_t fork, join;
  cudaStreamCreate(&side), cudaEventCreate(&fork), cudaEventCreate(&join);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  float factor = 2;
  scale<<<1, 32, 0, stream>>>(x, factor, 1, 1);
  factor = 3;  // captured by value
  cudaEventRecord(fork, stream), cudaStreamWaitEvent(side, fork);
  cudaMemsetAsync(x, 1, 4, side);
  cudaLaunchHostFunc(side, mark, out);
  cudaEventRecord(join, side), cudaStreamWaitEvent(stream, join);
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(side, &status), out[1] = status;
  out[2] = cudaStreamSynchronize(stream);
  void* refused;
  out[3] = cudaMalloc(&refused, 4);
  cudaStreamEndCapture(stream, &graph);
  cudaStreamIsCapturing(side, &status), out[4] = status;
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  out[5] = out[0];  // nothing has run yet
  for (int i = 0; i < 3; i++) cudaGraphLaunch(executable, stream);
  cudaGraphExecDestroy(executable);
  cudaStreamDestroy(side), cudaEventDestroy(fork), cudaEventDestroy(join);
  cudaGetLastError();
  return *(int*)x;
}

static cudaKernelNodeParams scaling(void** arguments) {
  cudaKernelNodeParams given = {};
  given.func = (void*)scale, given.gridDim = dim3(2), given.blockDim = dim3(32), given.kernelParams = arguments;
  return given;
}

extern "C" int builds_a_graph(int* out, cudaStream_t stream) {
  float* x = buffer();
  float factor = 2;
  char c = 1;
  double d = 1;
  void* arguments[] = {&x, &factor, &c, &d};
  cudaKernelNodeParams given = scaling(arguments), told = {};
  cudaMemsetParams ones = {x, 0, 0x01010101, 4, 2, 1}, twos = {x + 4, 0, 2, 1, 3, 1};
  cudaGraph_t graph, child;
  cudaGraphExec_t executable;
  cudaGraphNode_t fill, copy, kernel, join, inner, below, none;
  cudaGraphCreate(&graph, 0), cudaGraphCreate(&child, 0);
  cudaGraphAddMemsetNode(&inner, child, nullptr, 0, &twos);
  cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, x + 8, x, 4, cudaMemcpyDeviceToDevice);
  cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &given);
  cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &ones);
  cudaGraphAddEmptyNode(&join, graph, &copy, 1);
  cudaGraphAddChildGraphNode(&below, graph, &join, 1, child);
  cudaGraphDestroy(child);
  cudaGraphNode_t from[] = {fill, kernel}, to[] = {kernel, copy};
  out[0] = cudaGraphAddDependencies(graph, from, to, nullptr, 2);
  size_t count = 0, roots = 1;
  cudaGraphGetNodes(graph, nullptr, &count), cudaGraphGetRootNodes(graph, &none, &roots);
  out[1] = count, out[2] = none == fill;
  out[3] = cudaGraphInstantiate(&executable, graph, 0);
  out[4] = *(int*)x;  // nothing has run yet
  factor = 5, cudaGraphKernelNodeSetParams(kernel, &given);
  cudaGraphLaunch(executable, stream);
  out[5] = ((int*)x)[8], out[6] = ((int*)x)[4];
  factor = 7, cudaGraphExecKernelNodeSetParams(executable, kernel, &given);
  cudaGraphLaunch(executable, stream);
  cudaGraphExecUpdateResultInfo result;
  out[7] = cudaGraphExecUpdate(executable, graph, &result);
  cudaGraphLaunch(executable, stream);
  cudaGraphKernelNodeGetParams(kernel, &told);
  out[8] = told.gridDim.x * 1000 + (int)*(float*)told.kernelParams[1];
  cudaGraphNodeType type;
  cudaGraphNodeGetType(copy, &type), out[9] = type;
  cudaGraphAddDependencies(graph, &fill, &join, nullptr, 1);
  out[10] = cudaGraphExecUpdate(executable, graph, &result), out[11] = result.result;
  cudaGraphAddDependencies(graph, &join, &fill, nullptr, 1);
  out[12] = cudaGraphInstantiate(&executable, graph, 0);
  out[13] = cudaGraphAddKernelNode(&none, graph, nullptr, 0, nullptr);
  cudaGraphExecDestroy(executable), cudaGraphDestroy(graph);
  cudaGetLastError();
  return 0;
}

extern "C" int builds_a_graph_of_mixed_bytes(int*, cudaStream_t) {
  cudaMemsetParams mixed = {buffer(), 0, 0x0102, 2, 1, 1};
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  return cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &mixed);
}

extern "C" int reads_the_clock(int* out, cudaStream_t stream) {
  cudaEvent_t start, end;
  cudaEventCreate(&start), cudaEventCreate(&end);
  float milliseconds = -1;
  out[0] = cudaEventElapsedTime(&milliseconds, start, end);
  cudaEventRecord(start, stream);
  cudaMemsetAsync(buffer(), 0, 64, stream);
  cudaEventRecord(end, stream);
  out[1] = cudaEventElapsedTime(&milliseconds, start, end);
  out[2] = (int)(milliseconds * 1000 + 0.5f);
  return cudaEventDestroy(start) || cudaEventDestroy(end);
}

extern "C" int asks_about_the_device(int* out, cudaStream_t) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  out[0] = properties.major * 10 + properties.minor, out[1] = properties.multiProcessorCount;
  out[2] = properties.l2CacheSize, out[3] = (int)properties.sharedMemPerBlockOptin;
  out[4] = properties.maxThreadsPerMultiProcessor, out[5] = properties.regsPerMultiprocessor;
  cudaDeviceGetAttribute(&out[6], cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceGetAttribute(&out[7], cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  out[8] = cudaSetDevice(1), out[9] = cudaGetDeviceCount(&out[10]);
  out[11] = properties.clusterLaunch, out[12] = properties.warpSize;
  return 0;
}

extern "C" int asks_about_occupancy(int* out, cudaStream_t) {
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&out[0], scale, 256, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&out[1], scale, 32, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&out[2], with_shared, 128, 100 * 1024);
  cudaOccupancyMaxPotentialBlockSize(&out[3], &out[4], scale, 0, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&out[5], bounded, 256, 0);
  return 0;
}

extern "C" int launches_twice(int* out, cudaStream_t stream) {
  scale<<<1, 32, 0, stream>>>(buffer(), 1, 1, 1), out[0] = cudaGetLastError();
  bounded<<<1, 32, 0, stream>>>(buffer()), out[1] = cudaGetLastError();
  out[2] = cudaDeviceSynchronize();
  void* more;
  out[3] = cudaMalloc(&more, 16);
  return 0;
}

extern "C" int makes_a_texture(int*, cudaStream_t) {
  cudaArray_t array;
  cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  return cudaMallocArray(&array, &format, 16);
}
