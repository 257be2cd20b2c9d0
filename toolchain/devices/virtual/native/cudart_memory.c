/* Allocation: device, managed and pinned host memory, pools, and what a pointer is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart.h"

/* Allocations that are not plain device memory. */
typedef struct Special {
    struct Special *next;
    void *base;
    size_t bytes;
    int kind, owned;
    unsigned flags; /* as asked for */
} Special;

static Special *specials;
static int64_t host_bytes;

int64_t vgrt_host_bytes(void) { return host_bytes; }

static int64_t refused_bytes;

/* Of the first allocation since the call began that was refused; 0 where none was. */
int64_t vgrt_refused_bytes(void) { return refused_bytes; }
void vgrt_forget_refused_bytes(void) { refused_bytes = 0; }

static cudaError_t refuse(size_t bytes)
{
    if (!refused_bytes)
        refused_bytes = (int64_t)bytes > 0 ? (int64_t)bytes : INT64_MAX;
    return cudaErrorMemoryAllocation;
}

static Special **find_special(const void *base)
{
    Special **at = &specials;
    while (*at && (*at)->base != base)
        at = &(*at)->next;
    return at;
}

static void note_special(void *base, size_t bytes, int kind, int owned)
{
    Special *special = malloc(sizeof *special);
    *special = (Special){specials, base, bytes, kind, owned, 0};
    specials = special;
    host_bytes += owned && kind == MEMORY_HOST ? (int64_t)bytes : 0;
}

static int forget_special(void *base)
{
    Special **at = find_special(base), *special = *at;
    if (!special)
        return 0;
    host_bytes -= special->owned && special->kind == MEMORY_HOST ? (int64_t)special->bytes : 0;
    *at = special->next;
    free(special);
    return 1;
}

static void *obtain(size_t bytes, int kind)
{
    void *base = NULL;
    if (!vgrt_host.allocate)
        return vg_alloc(bytes, VG_WRITABLE | (kind == MEMORY_DEVICE ? VG_BLANK : 0));
    if (vgrt_host.allocate(&base, bytes, kind) || vg_adopt(base, bytes, ""))
        return NULL;
    return base;
}

/* vg_alloc fills with 0xFF bytes: NaN in every floating format, so that reading before writing shows. */
cudaError_t vgrt_allocate(void **out, size_t bytes, int kind)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = NULL;
    if (!bytes)
        return cudaSuccess;
    if ((int64_t)bytes < 0 || vg_live_bytes() - host_bytes + (int64_t)bytes > vgrt_device.allocation_limit)
        return refuse(bytes);
    *out = obtain(bytes, kind);
    if (!*out)
        return refuse(bytes);
    vg_name(*out, "memory from cudaMalloc");
    if (kind != MEMORY_DEVICE)
        note_special(*out, bytes, kind, 1);
    return cudaSuccess;
}

cudaError_t vgrt_free(void *base)
{
    if (!base)
        return cudaSuccess;
    if (vgrt_host.release ? vg_disown(base) || vgrt_host.release(base) : vg_free(base))
        return cudaErrorInvalidValue;
    forget_special(base);
    vgrt_pool_took_back(base);
    return cudaSuccess;
}

static const VgAllocation *allocation_of(const void *address)
{
    uint64_t place = (uint64_t)(uintptr_t)address;
    const VgAllocation *found = vg_nearest(place);
    return found && place - found->base < found->bytes ? found : NULL;
}

int vgrt_is_device_range(const void *address, size_t bytes)
{
    const VgAllocation *found = allocation_of(address);
    return found && bytes <= found->bytes - ((uint64_t)(uintptr_t)address - found->base);
}

/* --- device memory --- */

static cudaError_t allocate_outside_capture(void **out, size_t bytes, int kind)
{
    if (vgrt_is_capturing())
        return cudaErrorStreamCaptureUnsupported;
    return vgrt_tell(OPERATION_ALLOCATE, 0, vgrt_allocate(out, bytes, kind));
}

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    return vgrt_done(allocate_outside_capture(out, bytes, MEMORY_DEVICE));
}

cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    (void)flags;
    return vgrt_done(allocate_outside_capture(out, bytes, MEMORY_MANAGED));
}

enum { PITCH = 512 };

static size_t pitch_of(size_t width) { return (width + PITCH - 1) / PITCH * PITCH; }

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    *pitch = pitch_of(width);
    return vgrt_done(allocate_outside_capture(out, *pitch * height, MEMORY_DEVICE));
}

cudaError_t cudaMalloc3D(PitchedPointer *out, Extent extent)
{
    *out = (PitchedPointer){NULL, pitch_of(extent.width), extent.width, extent.height};
    size_t bytes = out->pitch * extent.height * extent.depth;
    return vgrt_done(allocate_outside_capture(&out->ptr, bytes, MEMORY_DEVICE));
}

cudaError_t cudaFree(void *base)
{
    if (vgrt_is_capturing() && base)
        return vgrt_done(cudaErrorStreamCaptureUnsupported);
    return vgrt_done(base ? vgrt_tell(OPERATION_FREE, 0, vgrt_free(base)) : cudaSuccess);
}

/* --- stream-ordered: at once, except that a graph keeps what it allocates while it is captured --- */

static cudaError_t allocate_in_stream(void **out, size_t bytes, void *stream)
{
    Recording *recording;
    cudaError_t error = vgrt_recording_of(stream, &recording);
    if (error)
        return error;
    error = vgrt_tell(OPERATION_POOL, 0, vgrt_allocate(out, bytes, MEMORY_DEVICE));
    if (!error && *out)
        vgrt_pool_gave(*out, bytes);
    if (!error && recording && *out)
        vgrt_record_allocation(recording, *out);
    return error;
}

cudaError_t cudaMallocAsync(void **out, size_t bytes, void *stream)
{
    return vgrt_done(allocate_in_stream(out, bytes, stream));
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, void *pool, void *stream)
{
    (void)pool;
    return vgrt_done(allocate_in_stream(out, bytes, stream));
}

cudaError_t cudaFreeAsync(void *base, void *stream)
{
    Recording *recording;
    cudaError_t error = vgrt_recording_of(stream, &recording);
    if (error || (recording && vgrt_owns_allocation(recording, base)))
        return vgrt_done(error);
    if (recording)
        return vgrt_refuse("cudaFreeAsync of memory from outside the graph that is being captured");
    return vgrt_done(vgrt_tell(OPERATION_POOL, 0, vgrt_free(base)));
}

PER_THREAD(cudaMallocAsync);
PER_THREAD(cudaMallocFromPoolAsync);
PER_THREAD(cudaFreeAsync);

/* --- pinned host memory --- */

cudaError_t cudaMallocHost(void **out, size_t bytes)
{
    return vgrt_done(allocate_outside_capture(out, bytes, MEMORY_HOST));
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    cudaError_t error = cudaMallocHost(out, bytes);
    if (!error && bytes)
        (*find_special(*out))->flags = flags;
    return error;
}

cudaError_t cudaFreeHost(void *base)
{
    if (base && !*find_special(base))
        return vgrt_done(cudaErrorInvalidValue);
    return vgrt_done(vgrt_free(base));
}

cudaError_t cudaHostRegister(void *base, size_t bytes, unsigned flags)
{
    if (vgrt_host.allocate)
        return vgrt_refuse("cudaHostRegister");
    if (!base || !bytes)
        return vgrt_done(cudaErrorInvalidValue);
    if (vg_register(base, bytes, 1, "registered host memory"))
        return vgrt_done(cudaErrorHostMemoryAlreadyRegistered);
    note_special(base, bytes, MEMORY_HOST, 0);
    specials->flags = flags;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaHostUnregister(void *base)
{
    if (!forget_special(base) || vg_unregister(base))
        return vgrt_done(cudaErrorHostMemoryNotRegistered);
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    (void)flags;
    *device = allocation_of(host) ? host : NULL;
    return vgrt_done(*device ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    const Special *special = *find_special(host);
    *flags = special ? special->flags : 0;
    return vgrt_done(special ? cudaSuccess : cudaErrorInvalidValue);
}

/* --- what a pointer is --- */

cudaError_t cudaPointerGetAttributes(PointerAttributes *out, const void *pointer)
{
    const VgAllocation *found = allocation_of(pointer);
    memset(out, 0, sizeof *out);
    out->device = found ? 0 : -2;
    if (!found)
        return vgrt_done(cudaSuccess);
    const Special *special = *find_special((void *)(uintptr_t)found->base);
    out->type = special ? special->kind : MEMORY_DEVICE;
    out->device_pointer = (void *)pointer;
    out->host_pointer = special ? (void *)pointer : NULL;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    *total = (size_t)vgrt_device.dram_bytes;
    *available = (size_t)(vgrt_device.allocation_limit - (vg_live_bytes() - host_bytes));
    return vgrt_done(cudaSuccess);
}
