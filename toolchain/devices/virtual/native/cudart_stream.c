/* Streams and their capture. Work is done when it is submitted, so a stream matters only while it is being captured. */
#include <stdlib.h>

#include "cudart.h"

typedef struct Stream {
    struct Stream *next;
    Recording *recording; /* NULL outside a capture */
    int began, priority;  /* whether the capture began here rather than joined through an event */
    unsigned flags;
    unsigned long long id;
} Stream;

enum { CAPTURE_NONE = 0, CAPTURE_ACTIVE = 1 };
enum { PER_THREAD = 2 }; /* a constant handle, whose work no event of another stream need wait for */

static Stream default_streams[3] = {{.id = 1}, {.id = 1}, {.id = 2}}; /* NULL, legacy, per thread */
static Stream *streams;
static unsigned long long last_id = 2;

static Stream *find(void *handle)
{
    if ((uintptr_t)handle < 3)
        return &default_streams[(uintptr_t)handle];
    for (Stream *stream = streams; stream; stream = stream->next)
        if (stream == handle)
            return stream;
    return NULL;
}

/* --- capture --- */

int vgrt_is_capturing(void)
{
    for (const Stream *stream = streams; stream; stream = stream->next)
        if (stream->recording)
            return 1;
    return default_streams[2].recording != NULL;
}

static void end_capture(const Recording *recording)
{
    for (Stream *stream = streams; stream; stream = stream->next)
        if (stream->recording == recording)
            stream->recording = NULL, stream->began = 0;
    if (default_streams[2].recording == recording)
        default_streams[2].recording = NULL, default_streams[2].began = 0;
}

void vgrt_end_all_captures(void)
{
    for (Stream *stream = streams; stream; stream = stream->next)
        stream->recording = NULL, stream->began = 0;
    default_streams[2].recording = NULL, default_streams[2].began = 0;
}

cudaError_t vgrt_recording_of(void *handle, Recording **recording)
{
    const Stream *stream = find(handle);
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    *recording = stream->recording;
    int legacy = (uintptr_t)handle < 2;
    return legacy && vgrt_is_capturing() ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

cudaError_t vgrt_submit(void *handle, const Work *work)
{
    Recording *recording;
    cudaError_t error = vgrt_recording_of(handle, &recording);
    if (error)
        return error;
    if ((uintptr_t)handle == PER_THREAD)
        return vgrt_refuse("work on cudaStreamPerThread: use the stream that is passed");
    return recording ? vgrt_record(recording, work) : vgrt_perform(work);
}

cudaError_t cudaStreamBeginCapture(void *handle, int mode)
{
    Stream *stream = find(handle);
    (void)mode;
    if (!stream)
        return vgrt_done(cudaErrorInvalidResourceHandle);
    if ((uintptr_t)handle < 2)
        return vgrt_done(cudaErrorStreamCaptureUnsupported);
    if (stream->recording)
        return vgrt_done(cudaErrorIllegalState);
    stream->recording = vgrt_new_recording();
    stream->began = 1;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(void *handle, void **graph)
{
    Stream *stream = find(handle);
    if (!stream || !stream->recording)
        return vgrt_done(stream ? cudaErrorIllegalState : cudaErrorInvalidResourceHandle);
    if (!stream->began)
        return vgrt_done(cudaErrorStreamCaptureUnmatched);
    *graph = stream->recording;
    end_capture(stream->recording);
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(void *handle, int *status)
{
    const Stream *stream = find(handle);
    if (!stream)
        return vgrt_done(cudaErrorInvalidResourceHandle);
    *status = stream->recording ? CAPTURE_ACTIVE : CAPTURE_NONE;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaStreamGetCaptureInfo(void *handle, int *status, unsigned long long *id, void **graph,
                                     const void **dependencies, const void **edges, size_t *dependency_count)
{
    cudaError_t error = cudaStreamIsCapturing(handle, status);
    if (error || *status == CAPTURE_NONE)
        return error;
    if (id)
        *id = find(handle)->id;
    return graph || dependencies || edges || dependency_count ? vgrt_refuse("cudaStreamGetCaptureInfo") : error;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode) { return vgrt_done(mode ? cudaSuccess : cudaErrorInvalidValue); }

/* --- streams --- */

cudaError_t cudaStreamCreateWithPriority(void **out, unsigned flags, int priority)
{
    if (!out)
        return vgrt_done(cudaErrorInvalidValue);
    Stream *stream = calloc(1, sizeof *stream);
    *stream = (Stream){.next = streams, .priority = priority, .flags = flags, .id = ++last_id};
    *out = streams = stream;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(void **out, unsigned flags) { return cudaStreamCreateWithPriority(out, flags, 0); }
cudaError_t cudaStreamCreate(void **out) { return cudaStreamCreateWithPriority(out, 0, 0); }

cudaError_t cudaStreamDestroy(void *handle)
{
    for (Stream **at = &streams; *at; at = &(*at)->next)
        if (*at == handle) {
            Stream *gone = *at;
            *at = gone->next;
            free(gone);
            return vgrt_done(cudaSuccess);
        }
    return vgrt_done(cudaErrorInvalidResourceHandle);
}

/* Waiting has nothing to wait for, but is refused where hardware refuses it. */
static cudaError_t wait(void *handle)
{
    const Stream *stream = find(handle);
    if (!stream)
        return vgrt_done(cudaErrorInvalidResourceHandle);
    return vgrt_done(stream->recording ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}

cudaError_t cudaStreamSynchronize(void *handle) { return vgrt_tell(OPERATION_WAIT, 0, wait(handle)); }
cudaError_t cudaStreamQuery(void *handle) { return wait(handle); }

cudaError_t cudaDeviceSynchronize(void)
{
    vgrt_tell(OPERATION_WAIT, 0, cudaSuccess);
    return vgrt_done(vgrt_is_capturing() ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}

cudaError_t cudaStreamGetPriority(void *handle, int *priority)
{
    const Stream *stream = find(handle);
    *priority = stream ? stream->priority : 0;
    return vgrt_done(stream ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetFlags(void *handle, unsigned *flags)
{
    const Stream *stream = find(handle);
    *flags = stream ? stream->flags : 0;
    return vgrt_done(stream ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetId(void *handle, unsigned long long *id)
{
    const Stream *stream = find(handle);
    *id = stream ? stream->id : 0;
    return vgrt_done(stream ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetDevice(void *handle, int *device)
{
    *device = 0;
    return vgrt_done(find(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSetAttribute(void *handle, int attribute, const void *value)
{
    (void)attribute, (void)value;
    return vgrt_done(find(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

typedef void (*StreamCallback)(void *stream, cudaError_t status, void *data);

cudaError_t cudaStreamAddCallback(void *handle, StreamCallback callback, void *data, unsigned flags)
{
    cudaError_t error = wait(handle);
    (void)flags;
    if (!error)
        callback(handle, cudaSuccess, data);
    return error;
}

cudaError_t cudaStreamAttachMemAsync(void *handle, void *base, size_t bytes, unsigned flags)
{
    (void)base, (void)bytes, (void)flags;
    return vgrt_done(find(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/* A stream that waits for an event of a capturing stream joins the capture. */
cudaError_t cudaStreamWaitEvent(void *handle, Event *event, unsigned flags)
{
    Stream *stream = find(handle);
    (void)flags;
    if (!stream || !event)
        return vgrt_done(cudaErrorInvalidResourceHandle);
    if (!event->recording)
        return vgrt_done(cudaSuccess);
    if ((uintptr_t)handle < 2)
        return vgrt_done(cudaErrorStreamCaptureImplicit);
    if (stream->recording && stream->recording != event->recording)
        return vgrt_done(cudaErrorStreamCaptureMerge);
    stream->recording = event->recording;
    return vgrt_done(cudaSuccess);
}

PER_THREAD(cudaStreamBeginCapture);
PER_THREAD(cudaStreamEndCapture);
PER_THREAD(cudaStreamIsCapturing);
PER_THREAD(cudaStreamGetCaptureInfo);
PER_THREAD(cudaStreamSynchronize);
PER_THREAD(cudaStreamQuery);
PER_THREAD(cudaStreamGetPriority);
PER_THREAD(cudaStreamGetFlags);
PER_THREAD(cudaStreamGetId);
PER_THREAD(cudaStreamGetDevice);
PER_THREAD(cudaStreamSetAttribute);
PER_THREAD(cudaStreamAddCallback);
PER_THREAD(cudaStreamAttachMemAsync);
PER_THREAD(cudaStreamWaitEvent);
