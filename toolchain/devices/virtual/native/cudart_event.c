/* Events and the virtual clock that they read. */
#include <stdlib.h>

#include "cudart.h"

enum { EVENT_WITHOUT_TIMING = 2 };

static double clock_milliseconds;

/* 5 microseconds a piece of work: no time that means anything, but the same on every run and never zero or garbage. */
void vgrt_tick(void) { clock_milliseconds += 0.005; }

cudaError_t cudaEventCreateWithFlags(Event **out, unsigned flags)
{
    if (!out)
        return vgrt_done(cudaErrorInvalidValue);
    *out = calloc(1, sizeof **out);
    (*out)->flags = flags;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaEventCreate(Event **out) { return cudaEventCreateWithFlags(out, 0); }

cudaError_t cudaEventDestroy(Event *event)
{
    free(event);
    return vgrt_done(event ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecordWithFlags(Event *event, void *handle, unsigned flags)
{
    Recording *recording;
    (void)flags;
    cudaError_t error = event ? vgrt_recording_of(handle, &recording) : cudaErrorInvalidResourceHandle;
    if (error)
        return vgrt_done(error);
    event->recording = recording;
    event->milliseconds = clock_milliseconds;
    event->recorded = 1;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaEventRecord(Event *event, void *handle) { return cudaEventRecordWithFlags(event, handle, 0); }

cudaError_t cudaEventSynchronize(Event *event)
{
    if (!event)
        return vgrt_done(cudaErrorInvalidResourceHandle);
    return vgrt_done(event->recording && vgrt_is_capturing() ? cudaErrorCapturedEvent : cudaSuccess);
}

cudaError_t cudaEventQuery(Event *event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float *milliseconds, const Event *start, const Event *end)
{
    *milliseconds = 0;
    if (!start || !end || !start->recorded || !end->recorded || (start->flags | end->flags) & EVENT_WITHOUT_TIMING)
        return vgrt_done(cudaErrorInvalidResourceHandle);
    *milliseconds = (float)(end->milliseconds - start->milliseconds);
    return vgrt_done(cudaSuccess);
}

PER_THREAD(cudaEventRecord);
PER_THREAD(cudaEventRecordWithFlags);
