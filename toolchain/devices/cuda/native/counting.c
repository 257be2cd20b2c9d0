/* Counts what an entry asks of the CUDA runtime, and hands every call on to it.
 *
 * A candidate's library binds to these names, since this one is loaded first. The counts are of the candidate's
 * own process: they tell of honest kernels how many they launch and what they leave allocated, and decide nothing
 * else.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct { unsigned x, y, z; } dim3;

struct counted {
    long long launches, moves, live_bytes;
    long long refused; /* the first launch's error */
};

static struct counted counted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { void *place; size_t nbytes; } *blocks;
static size_t block_count, block_room;
static void *runtime;

/* Loads the runtime at `path` for everyone; 0 where it cannot be. */
int counting_open(const char *path) {
    runtime = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    return runtime != NULL;
}

void counting_begin(void) {
    long long live = counted.live_bytes;
    counted = (struct counted){.live_bytes = live};
}

void counting_read(struct counted *out) { *out = counted; }

static void keep(void *place, size_t nbytes) {
    pthread_mutex_lock(&lock);
    if (block_count == block_room) {
        size_t room = block_room ? 2 * block_room : 64;
        void *more = realloc(blocks, room * sizeof *blocks);
        if (more) blocks = more, block_room = room;
    }
    if (block_count < block_room) {
        blocks[block_count].place = place;
        blocks[block_count++].nbytes = nbytes;
        counted.live_bytes += nbytes;
    }
    pthread_mutex_unlock(&lock);
}

static void drop(void *place) {
    pthread_mutex_lock(&lock);
    for (size_t i = block_count; i-- > 0;)
        if (blocks[i].place == place) {
            counted.live_bytes -= blocks[i].nbytes;
            blocks[i] = blocks[--block_count];
            break;
        }
    pthread_mutex_unlock(&lock);
}

static int launched(int error) {
    counted.launches++;
    if (error && !counted.refused) counted.refused = error;
    return error;
}

/* int NAME(TYPES) with ARGUMENTS: the runtime's own function of that name, found once. */
#define REAL(name, types) \
    static int(*real) types; \
    if (!real) real = (int(*) types)dlsym(runtime, #name)

#define LAUNCH(name, types, ...) \
    int name types { REAL(name, types); return launched(real(__VA_ARGS__)); }
#define MOVE(name, types, ...) \
    int name types { REAL(name, types); counted.moves++; return real(__VA_ARGS__); }

#define LAUNCH_TYPES (const void *f, dim3 grid, dim3 block, void **arguments, size_t shared, void *stream)
LAUNCH(cudaLaunchKernel, LAUNCH_TYPES, f, grid, block, arguments, shared, stream)
LAUNCH(__cudaLaunchKernel, LAUNCH_TYPES, f, grid, block, arguments, shared, stream)
LAUNCH(cudaLaunchCooperativeKernel, LAUNCH_TYPES, f, grid, block, arguments, shared, stream)
LAUNCH(cudaLaunchKernelExC, (const void *configuration, const void *f, void **arguments), configuration, f, arguments)

MOVE(cudaMemcpy, (void *to, const void *from, size_t n, int kind), to, from, n, kind)
MOVE(cudaMemcpyAsync, (void *to, const void *from, size_t n, int kind, void *stream), to, from, n, kind, stream)
MOVE(cudaMemcpy2D, (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                    int kind), to, to_pitch, from, from_pitch, width, height, kind)
MOVE(cudaMemcpy2DAsync, (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, int kind, void *stream),
     to, to_pitch, from, from_pitch, width, height, kind, stream)
MOVE(cudaMemset, (void *to, int value, size_t n), to, value, n)
MOVE(cudaMemsetAsync, (void *to, int value, size_t n, void *stream), to, value, n, stream)
MOVE(cudaMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height), to, pitch, value, width, height)
MOVE(cudaMemset2DAsync, (void *to, size_t pitch, int value, size_t width, size_t height, void *stream),
     to, pitch, value, width, height, stream)

int cudaMalloc(void **place, size_t nbytes) {
    REAL(cudaMalloc, (void **, size_t));
    int error = real(place, nbytes);
    if (!error && *place) keep(*place, nbytes);
    return error;
}

int cudaMallocAsync(void **place, size_t nbytes, void *stream) {
    REAL(cudaMallocAsync, (void **, size_t, void *));
    int error = real(place, nbytes, stream);
    if (!error && *place) keep(*place, nbytes);
    return error;
}

int cudaFree(void *place) {
    REAL(cudaFree, (void *));
    int error = real(place);
    if (!error && place) drop(place);
    return error;
}

int cudaFreeAsync(void *place, void *stream) {
    REAL(cudaFreeAsync, (void *, void *));
    int error = real(place, stream);
    if (!error && place) drop(place);
    return error;
}
