/* A CUDA runtime for tests: kernels are host functions `void kernel(void **arguments)`, run where they are launched.
 * Memory is the host's, since the fake driver's is. What a kernel does to the GPU it says by a call from here. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { unsigned x, y, z; } dim3;
enum { OUT_OF_MEMORY = 2, BAD_CONFIGURATION = 9, REFUSED_BY_SYSTEM = 304, MOST_THREADS = 1024 };

static int last_error, fault;
static double hidden_ms;

/* For kernels of tests: the context is broken from now on; or work goes on in a stream nobody waits for. */
void fake_fault(int code) { fault = code; }
void fake_hide_ms(double ms) { hidden_ms += ms; }

/* For the fake driver, when it waits. */
int fake_wait(void) {
    usleep((useconds_t)(1e3 * hidden_ms));
    hidden_ms = 0;
    return fault;
}

static int left(int error) {
    if (error) last_error = error;
    return error;
}

int cudaGetLastError(void) {
    int error = last_error;
    last_error = 0;
    return error;
}

const char *cudaGetErrorName(int code) {
    return code == BAD_CONFIGURATION ? "cudaErrorInvalidConfiguration"
         : code == OUT_OF_MEMORY     ? "cudaErrorMemoryAllocation"
         : code == REFUSED_BY_SYSTEM ? "cudaErrorOperatingSystem" : "cudaErrorUnknown";
}

int cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream) {
    if (block.x > MOST_THREADS) return left(BAD_CONFIGURATION);
    if (!grid.y) return left(REFUSED_BY_SYSTEM); /* a test's sign for it */
    ((void (*)(void **))kernel)(arguments);
    return 0;
}

int cudaMalloc(void **place, size_t nbytes) {
    *place = nbytes >> 40 ? NULL : malloc(nbytes);
    return left(*place ? 0 : OUT_OF_MEMORY);
}

int cudaFree(void *place) {
    free(place);
    return 0;
}

int cudaMallocAsync(void **place, size_t nbytes, void *stream) { return cudaMalloc(place, nbytes); }
int cudaFreeAsync(void *place, void *stream) { return cudaFree(place); }

int cudaMemcpyAsync(void *to, const void *from, size_t nbytes, int kind, void *stream) {
    memmove(to, from, nbytes);
    return 0;
}

/* What nvcc's host code calls where a source has no kernel of its own. */
void **__cudaRegisterFatBinary(void *code) { (void)code; return malloc(sizeof(void *)); }
void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
void __cudaUnregisterFatBinary(void **handle) { free(handle); }
char __cudaInitModule(void **handle) { return handle != NULL; }
