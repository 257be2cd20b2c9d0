// What every vendor arm has: the type of a value, the entry's name at this precision, and a call that must succeed.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#ifdef BF16
using Value = __nv_bfloat16;
#define ENTRY(name) name##_bf16
__device__ inline float number(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ inline __nv_bfloat16 rounded(float value) { return __float2bfloat16(value); }
#else
using Value = float;
#define ENTRY(name) name
__device__ inline float number(float value) { return value; }
__device__ inline float rounded(float value) { return value; }
#endif

// A library that refuses ends the process, which tells of it as a candidate that crashes: there is no answer then.
inline void must(int status, const char* call) {
    if (status == 0) return;
    fprintf(stderr, "%s gave %d\n", call, status);
    abort();
}
#define MUST(call) must((int)(call), #call)

// Scratch memory on the stream, for the length of one call of the entry.
class Scratch {
public:
    Scratch(size_t bytes, cudaStream_t stream) : stream_(stream) {
        MUST(cudaMallocAsync(&memory_, bytes ? bytes : 1, stream));
    }
    ~Scratch() { cudaFreeAsync(memory_, stream_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    template <class T>
    T* as() const { return static_cast<T*>(memory_); }

private:
    cudaStream_t stream_;
    void* memory_ = nullptr;
};
