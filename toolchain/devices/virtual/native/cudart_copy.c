/* Copies and fills: one, two and three dimensions, synchronous or in a stream, all done by one routine. */
#include <string.h>

#include "cudart.h"

/* --- checking --- */

static size_t span(size_t width, size_t height, size_t depth, size_t pitch, size_t slice)
{
    size_t slices, rows, both, all;
    if (!width || !height || !depth)
        return 0;
    if (__builtin_mul_overflow(slice, depth - 1, &slices) || __builtin_mul_overflow(pitch, height - 1, &rows))
        return SIZE_MAX;
    if (__builtin_add_overflow(slices, rows, &both) || __builtin_add_overflow(both, width, &all))
        return SIZE_MAX;
    return all;
}

/* Writing an input is allowed by the hardware and forbidden by the harness, which may have mapped it read-only. */
static cudaError_t check_writable(const void *address)
{
    const VgAllocation *found = vg_nearest((uint64_t)(uintptr_t)address);
    if (!found || (uint64_t)(uintptr_t)address - found->base >= found->bytes || found->writable || found->owned)
        return cudaSuccess;
    vgrt_note_violation("a copy or fill by the host code writes the input %s", found->name);
    return cudaErrorInvalidValue;
}

static cudaError_t check_copy(const CopyWork *copy, int kind)
{
    if (kind < COPY_HOST_TO_HOST || kind > COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    size_t read = span(copy->width, copy->height, copy->depth, copy->src_pitch, copy->src_slice);
    size_t written = span(copy->width, copy->height, copy->depth, copy->dst_pitch, copy->dst_slice);
    if (!written)
        return cudaSuccess;
    if (!copy->dst || !copy->src)
        return cudaErrorInvalidValue;
    if (copy->height > 1 && (copy->width > copy->dst_pitch || copy->width > copy->src_pitch))
        return cudaErrorInvalidPitchValue;
    int to_device = kind == COPY_HOST_TO_DEVICE || kind == COPY_DEVICE_TO_DEVICE;
    int from_device = kind == COPY_DEVICE_TO_HOST || kind == COPY_DEVICE_TO_DEVICE;
    if (!vgrt_is_device_range(copy->dst, written) && (to_device || vgrt_is_device_range(copy->dst, 1)))
        return cudaErrorInvalidValue;
    if (!vgrt_is_device_range(copy->src, read) && (from_device || vgrt_is_device_range(copy->src, 1)))
        return cudaErrorInvalidValue;
    return check_writable(copy->dst);
}

static cudaError_t check_fill(const FillWork *fill)
{
    size_t bytes = span(fill->width, fill->height, fill->depth, fill->pitch, fill->slice);
    if (!bytes)
        return cudaSuccess;
    if (fill->height > 1 && fill->width > fill->pitch)
        return cudaErrorInvalidPitchValue;
    return vgrt_is_device_range(fill->base, bytes) ? check_writable(fill->base) : cudaErrorInvalidValue;
}

/* --- doing --- */

static void copy_row(char *to, const char *from, size_t width)
{
    memmove(to, from, width);
    vg_note_written(to, width);
}

static void fill_row(char *to, int value, size_t width)
{
    memset(to, value, width);
    vg_note_written(to, width);
}

static void copy_now(const CopyWork *copy)
{
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            copy_row(copy->dst + z * copy->dst_slice + y * copy->dst_pitch,
                     copy->src + z * copy->src_slice + y * copy->src_pitch, copy->width);
}

static void fill_now(const FillWork *fill)
{
    for (size_t z = 0; z < fill->depth; z++)
        for (size_t y = 0; y < fill->height; y++)
            fill_row(fill->base + z * fill->slice + y * fill->pitch, fill->value, fill->width);
}

/* Only what stays within device memory costs time on the device. */
static void tell_of_copy(const CopyWork *copy)
{
    if (vgrt_is_device_range(copy->dst, 1) && vgrt_is_device_range(copy->src, 1))
        vgrt_tell(OPERATION_COPY, 2 * copy->width * copy->height * copy->depth, 0);
}

/* --- where device memory lives in another process --- */

static int carry_row(char *to, const char *from, size_t width, int to_device)
{
    return vgrt_host.carry(to_device ? to : (char *)from, to_device ? (char *)from : to, width, to_device);
}

static int carry(const CopyWork *copy, int to_device)
{
    int code = 0;
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height && !code; y++)
            code = carry_row(copy->dst + z * copy->dst_slice + y * copy->dst_pitch,
                             copy->src + z * copy->src_slice + y * copy->src_pitch, copy->width, to_device);
    return code;
}

/* 0 or an error: whatever the other process does not do ends the call, like a fault. */
static cudaError_t copy_elsewhere(const CopyWork *copy)
{
    int to_device = vgrt_is_device_range(copy->dst, 1), from_device = vgrt_is_device_range(copy->src, 1);
    int code = 0;
    if (to_device && from_device)
        code = vgrt_host.copy(copy);
    else if (to_device || from_device)
        code = carry(copy, to_device);
    else
        copy_now(copy);
    return code ? vgrt_fatal((cudaError_t)code) : cudaSuccess;
}

static cudaError_t perform_copy(const CopyWork *copy)
{
    if (vgrt_host.copy)
        return copy_elsewhere(copy);
    copy_now(copy);
    tell_of_copy(copy);
    return cudaSuccess;
}

static cudaError_t perform_fill(const FillWork *fill)
{
    if (vgrt_host.fill) {
        int code = vgrt_host.fill(fill);
        return code ? vgrt_fatal((cudaError_t)code) : cudaSuccess;
    }
    fill_now(fill);
    vgrt_tell(OPERATION_FILL, fill->width * fill->height * fill->depth, 0);
    return cudaSuccess;
}

int vgrt_serve_copy(const CopyWork *copy)
{
    cudaError_t error = check_copy(copy, COPY_DEVICE_TO_DEVICE);
    return error ? error : perform_copy(copy);
}

int vgrt_serve_fill(const FillWork *fill)
{
    cudaError_t error = check_fill(fill);
    return error ? error : perform_fill(fill);
}

int vgrt_serve_carry(void *device, void *host, uint64_t bytes, int to_device)
{
    cudaError_t error = vgrt_is_device_range(device, bytes) ? cudaSuccess : cudaErrorInvalidValue;
    if (!error && to_device)
        error = check_writable(device);
    if (!error)
        copy_row(to_device ? device : host, to_device ? host : device, bytes);
    return error;
}

cudaError_t vgrt_perform(const Work *work)
{
    if (vgrt_is_broken())
        return vgrt_done(cudaSuccess);
    vgrt_tick();
    switch (work->kind) {
    case WORK_COPY:
        return perform_copy(&work->copy);
    case WORK_FILL:
        return perform_fill(&work->fill);
    case WORK_HOST:
        work->host.function(work->host.data);
        return cudaSuccess;
    case WORK_GRAPH:
        return vgrt_replay(work->graph);
    case WORK_NOTHING:
        return cudaSuccess;
    case WORK_LAUNCH:
        break;
    }
    int code = vgrt_host.launch ? vgrt_host.launch(&work->launch) : cudaErrorNoDevice;
    return code ? vgrt_fatal((cudaError_t)code) : cudaSuccess;
}

cudaError_t vgrt_make_copy(CopyWork copy, int kind, Work *work)
{
    *work = (Work){.kind = WORK_COPY, .copy = copy};
    return check_copy(&copy, kind);
}

cudaError_t vgrt_make_fill(FillWork fill, Work *work)
{
    *work = (Work){.kind = WORK_FILL, .fill = fill};
    return check_fill(&fill);
}

static cudaError_t copy(CopyWork copy_work, int kind, void *stream)
{
    Work work;
    cudaError_t error = vgrt_make_copy(copy_work, kind, &work);
    return vgrt_done(error ? error : vgrt_submit(stream, &work));
}

static cudaError_t fill(FillWork fill_work, void *stream)
{
    Work work;
    cudaError_t error = vgrt_make_fill(fill_work, &work);
    return vgrt_done(error ? error : vgrt_submit(stream, &work));
}

/* --- copies --- */

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream)
{
    return copy((CopyWork){.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1}, kind, stream);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, int kind)
{
    return cudaMemcpyAsync(dst, src, bytes, kind, NULL);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes, void *stream)
{
    if (dst_device || src_device)
        return vgrt_done(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(dst, src, bytes, COPY_DEVICE_TO_DEVICE, stream);
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(dst, dst_device, src, src_device, bytes, NULL);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width, size_t height,
                              int kind, void *stream)
{
    CopyWork work = {dst, src, dst_pitch, src_pitch, 0, 0, width, height, 1};
    return copy(work, kind, stream);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width, size_t height,
                         int kind)
{
    return cudaMemcpy2DAsync(dst, dst_pitch, src, src_pitch, width, height, kind, NULL);
}

static char *at_position(PitchedPointer base, Position position)
{
    return (char *)base.ptr + (position.z * base.ysize + position.y) * base.pitch + position.x;
}

cudaError_t vgrt_make_copy_3d(const Copy3D *p, Work *work)
{
    if (p->src_array || p->dst_array)
        return vgrt_refuse("cudaMemcpy3D of arrays");
    CopyWork copy_work = {
        .dst = at_position(p->dst, p->dst_pos),
        .src = at_position(p->src, p->src_pos),
        .dst_pitch = p->dst.pitch,
        .src_pitch = p->src.pitch,
        .dst_slice = p->dst.pitch * p->dst.ysize,
        .src_slice = p->src.pitch * p->src.ysize,
        .width = p->extent.width,
        .height = p->extent.height,
        .depth = p->extent.depth,
    };
    return vgrt_make_copy(copy_work, p->kind, work);
}

cudaError_t cudaMemcpy3DAsync(const Copy3D *p, void *stream)
{
    Work work;
    cudaError_t error = vgrt_make_copy_3d(p, &work);
    return vgrt_done(error ? error : vgrt_submit(stream, &work));
}

cudaError_t cudaMemcpy3D(const Copy3D *p) { return cudaMemcpy3DAsync(p, NULL); }

/* --- fills --- */

cudaError_t cudaMemsetAsync(void *base, int value, size_t bytes, void *stream)
{
    return fill((FillWork){.base = base, .width = bytes, .height = 1, .depth = 1, .value = value}, stream);
}

cudaError_t cudaMemset(void *base, int value, size_t bytes) { return cudaMemsetAsync(base, value, bytes, NULL); }

cudaError_t cudaMemset2DAsync(void *base, size_t pitch, int value, size_t width, size_t height, void *stream)
{
    return fill((FillWork){base, pitch, 0, width, height, 1, value}, stream);
}

cudaError_t cudaMemset2D(void *base, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(base, pitch, value, width, height, NULL);
}

cudaError_t cudaMemset3DAsync(PitchedPointer base, int value, Extent extent, void *stream)
{
    FillWork work = {base.ptr, base.pitch, base.pitch * base.ysize, extent.width, extent.height, extent.depth, value};
    return fill(work, stream);
}

cudaError_t cudaMemset3D(PitchedPointer base, int value, Extent extent)
{
    return cudaMemset3DAsync(base, value, extent, NULL);
}

/* --- hints: memory is one, so they have no effect --- */

typedef struct { int type, id; } MemoryLocation;

cudaError_t cudaMemPrefetchAsync(const void *base, size_t bytes, MemoryLocation location, unsigned flags, void *stream)
{
    (void)location, (void)flags, (void)stream;
    return vgrt_done(vgrt_is_device_range(base, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemAdvise(const void *base, size_t bytes, int advice, MemoryLocation location)
{
    (void)advice, (void)location;
    return vgrt_done(vgrt_is_device_range(base, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

PER_THREAD(cudaMemcpyAsync);
PER_THREAD(cudaMemcpyPeerAsync);
PER_THREAD(cudaMemcpy2DAsync);
PER_THREAD(cudaMemcpy3DAsync);
PER_THREAD(cudaMemsetAsync);
PER_THREAD(cudaMemset2DAsync);
PER_THREAD(cudaMemset3DAsync);
PER_THREAD(cudaMemPrefetchAsync);
PER_THREAD_DEFAULT(cudaMemcpy);
PER_THREAD_DEFAULT(cudaMemcpyPeer);
PER_THREAD_DEFAULT(cudaMemcpy2D);
PER_THREAD_DEFAULT(cudaMemcpy3D);
PER_THREAD_DEFAULT(cudaMemset);
PER_THREAD_DEFAULT(cudaMemset2D);
PER_THREAD_DEFAULT(cudaMemset3D);
