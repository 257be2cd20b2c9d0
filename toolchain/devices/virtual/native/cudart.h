/* Inside of the CUDA runtime subset: what its files share, and what it exchanges with host.py.
 *
 * Everything runs eagerly in the calling thread; a stream only matters while it is being captured into a graph. */
#ifndef CUDART_H
#define CUDART_H

#include "cudart_abi.h"
#include "vgpu.h"

void vg_name(void *base, const char *name);
int64_t vg_list(uint64_t *pairs, int64_t most);
int vg_adopt(void *base, size_t bytes, const char *name);
int vg_disown(void *base);

/* --- exchanged with host.py, which declares the same structures --- */

/* The device that queries answer for; sizes in bytes, clocks in kHz. */
typedef struct {
    char name[256];
    int64_t major, minor, sm_count, clock_khz, memory_clock_khz, memory_bus_bits, dram_bytes, l2_bytes;
    int64_t shared_per_sm, shared_per_block_optin, registers_per_sm, warps_per_sm, blocks_per_sm;
    int64_t allocation_limit; /* cudaMalloc fails beyond it */
} VgDevice;

enum { VG_MAX_PARAMETERS = 1024 };

/* What is known of a kernel; zero where nothing is. */
typedef struct {
    int32_t registers, static_shared, local_bytes, max_threads;
    int32_t cluster[3];
    int32_t parameter_count, parameter_bytes;
    int32_t offsets[VG_MAX_PARAMETERS], sizes[VG_MAX_PARAMETERS];
} VgKernelFacts;

typedef struct {
    const char *kernel;
    uint32_t grid[3], block[3], cluster[3], cooperative, overlaps;
    uint64_t dynamic_shared;
    const uint8_t *parameters;
    uint64_t parameter_bytes;
} VgLaunchCall;

/* What takes time besides kernels; host.py has their names. */
enum { OPERATION_COPY, OPERATION_FILL, OPERATION_ALLOCATE, OPERATION_FREE, OPERATION_POOL, OPERATION_WAIT };

typedef struct {
    char *dst;
    const char *src;
    size_t dst_pitch, src_pitch, dst_slice, src_slice, width, height, depth;
} CopyWork;

typedef struct {
    char *base;
    size_t pitch, slice, width, height, depth;
    int value;
} FillWork;

/* The Python side. Each returns 0 or a CUDA error code. */
typedef struct {
    int (*module)(const char *ptx, uint64_t bytes);
    int (*describe)(const char *kernel, VgKernelFacts *facts);
    int (*launch)(const VgLaunchCall *call);
    int (*symbol)(const char *name, void **address, uint64_t *bytes);
    int (*memory)(int operation, uint64_t moved_bytes);
    int (*unsupported)(const char *call); /* may not return */
    /* Device memory that lives in another process; all NULL where it lives in this one. */
    int (*allocate)(void **base, uint64_t bytes, int kind);
    int (*release)(void *base);
    int (*carry)(void *device, void *host, uint64_t bytes, int to_device);
    int (*copy)(const CopyWork *copy);
    int (*fill)(const FillWork *fill);
} VgHost;

void vgrt_connect(const VgHost *host);
/* What another process asks of this one's device memory: checked, done and told like this process's own. */
int vgrt_serve_copy(const CopyWork *copy);
int vgrt_serve_fill(const FillWork *fill);
int vgrt_serve_carry(void *device, void *host, uint64_t bytes, int to_device);
/* Tells the Python side of an operation that ended with `error`; returns `error`. */
int vgrt_tell(int operation, uint64_t moved_bytes, int error);
void vgrt_set_device(const VgDevice *device);
/* A copy of all writable device memory; NULL where it is more than `most_bytes`. Putting it back frees it. */
typedef struct Snapshot Snapshot;
Snapshot *vgrt_take_snapshot(uint64_t most_bytes);
void vgrt_put_back(Snapshot *snapshot);
void vgrt_drop_snapshot(Snapshot *snapshot);
/* Forgets errors and captures before a call of the entry. */
void vgrt_begin_call(void);
/* Pinned host memory that is live, in bytes; the rest of vg_live_bytes is device memory. */
int64_t vgrt_host_bytes(void);
/* What the host code did that the harness forbids; NULL where it did nothing of the kind. */
const char *vgrt_violation(void);
/* The first launch of the call that the checks refused, in words; NULL where there is none. */
const char *vgrt_refused_launch(void);

/* --- shared by the runtime's files --- */

extern VgHost vgrt_host;
extern VgDevice vgrt_device;

/* Remembers `code` as the last error if it is one and returns it; a sticky error answers every later call. */
cudaError_t vgrt_done(cudaError_t code);
/* As vgrt_done; the error stays for the rest of the process, as on hardware after a fault. */
cudaError_t vgrt_fatal(cudaError_t code);
cudaError_t vgrt_refuse(const char *call);
void vgrt_note_violation(const char *format, ...);
int vgrt_is_broken(void);
void vgrt_forget_refused_launch(void);
const char *cudaGetErrorName(cudaError_t code);
const char *cudaGetErrorString(cudaError_t code);

/* Kernels. */
typedef struct Function {
    struct Function *next;
    const void *stub; /* the host function that stands for the kernel */
    char *name;
    int max_dynamic_shared, non_portable_cluster;
    int cluster[3];
    VgKernelFacts *facts; /* NULL until first asked */
} Function;

/* The function that a stub's address or a cudaKernel_t means, with its facts; NULL and an error otherwise. */
Function *vgrt_function(const void *stub_or_handle, cudaError_t *error);

/* Work, done at once or recorded. */
typedef struct {
    void (*function)(void *);
    void *data;
} HostWork;

/* What a capture recorded, or nodes that were added one by one. */
typedef struct Recording Recording;

typedef struct Work {
    enum { WORK_LAUNCH, WORK_COPY, WORK_FILL, WORK_HOST, WORK_GRAPH, WORK_NOTHING } kind;
    union {
        VgLaunchCall launch;
        CopyWork copy;
        FillWork fill;
        HostWork host;
        Recording *graph;
    };
} Work;

cudaError_t vgrt_perform(const Work *work);
/* Performs `work`, or records it while `stream` is being captured. */
cudaError_t vgrt_submit(void *stream, const Work *work);
/* What a launch, a copy or a fill would do, checked; whoever makes a launch frees its parameters. */
cudaError_t vgrt_make_launch(const LaunchConfig *config, const void *stub, void **arguments, Work *work);
cudaError_t vgrt_make_copy(CopyWork copy, int kind, Work *work);
cudaError_t vgrt_make_copy_3d(const Copy3D *parameters, Work *work);
cudaError_t vgrt_make_fill(FillWork fill, Work *work);

cudaError_t vgrt_record(Recording *recording, const Work *work);
cudaError_t vgrt_replay(const Recording *recording);
void vgrt_record_allocation(Recording *recording, void *base);
int vgrt_owns_allocation(const Recording *recording, const void *base);
Recording *vgrt_new_recording(void);
void vgrt_release_recording(Recording *recording);

/* The recording that `stream` is captured into; NULL outside a capture. Error: not a stream. */
cudaError_t vgrt_recording_of(void *stream, Recording **recording);
int vgrt_is_capturing(void);
void vgrt_end_all_captures(void);
void vgrt_tick(void);

typedef struct {
    Recording *recording; /* of the capturing stream that recorded it last */
    double milliseconds;
    int recorded;
    unsigned flags;
} Event;

/* Device memory. */
cudaError_t vgrt_allocate(void **out, size_t bytes, int kind);
cudaError_t vgrt_free(void *base);
void vgrt_forget_refused_bytes(void);
/* What cudaMallocAsync gave, and what was freed, wherever from. */
void vgrt_pool_gave(void *base, size_t bytes);
void vgrt_pool_took_back(void *base);
/* Whether [address, address + bytes) lies in one allocation. */
int vgrt_is_device_range(const void *address, size_t bytes);

/* An entry point and its per-thread-default-stream twin. */
#define PER_THREAD(name) extern __typeof__(name) name##_ptsz __attribute__((alias(#name)))
#define PER_THREAD_DEFAULT(name) extern __typeof__(name) name##_ptds __attribute__((alias(#name)))

#endif
