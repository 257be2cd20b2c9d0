/* Graphs by stream capture: a recording is a list of work, replayed in the order it was captured. */
#include <stdlib.h>
#include <string.h>

#include "cudart.h"

struct Recording {
    int owners; /* the graph and what was instantiated from it */
    size_t count, room;
    Work *work;
    size_t allocation_count;
    void **allocations; /* made while capturing; they live as long as the recording */
};

/* What cudaGraphInstantiate returns: it can be given another recording. */
typedef struct {
    Recording *recording;
} Executable;

Recording *vgrt_new_recording(void)
{
    Recording *recording = calloc(1, sizeof *recording);
    recording->owners = 1;
    return recording;
}

static uint8_t *copied(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = malloc(count + 1);
    memcpy(copy, bytes, count);
    return copy;
}

cudaError_t vgrt_record(Recording *recording, const Work *work)
{
    if (recording->count == recording->room) {
        recording->room = recording->room ? 2 * recording->room : 16;
        recording->work = realloc(recording->work, recording->room * sizeof *work);
    }
    Work *kept = &recording->work[recording->count++];
    *kept = *work;
    if (kept->kind == WORK_LAUNCH)
        kept->launch.parameters = copied(work->launch.parameters, work->launch.parameter_bytes);
    return cudaSuccess;
}

void vgrt_record_allocation(Recording *recording, void *base)
{
    size_t bytes = (recording->allocation_count + 1) * sizeof(void *);
    recording->allocations = realloc(recording->allocations, bytes);
    recording->allocations[recording->allocation_count++] = base;
}

int vgrt_owns_allocation(const Recording *recording, const void *base)
{
    for (size_t i = 0; i < recording->allocation_count; i++)
        if (recording->allocations[i] == base)
            return 1;
    return 0;
}

void vgrt_release_recording(Recording *recording)
{
    if (--recording->owners)
        return;
    for (size_t i = 0; i < recording->count; i++)
        if (recording->work[i].kind == WORK_LAUNCH)
            free((void *)recording->work[i].launch.parameters);
    for (size_t i = 0; i < recording->allocation_count; i++)
        vgrt_free(recording->allocations[i]);
    free(recording->allocations);
    free(recording->work);
    free(recording);
}

/* --- the runtime's calls --- */

cudaError_t cudaGraphInstantiate(Executable **out, Recording *graph, unsigned long long flags)
{
    (void)flags;
    if (!out || !graph)
        return vgrt_done(cudaErrorInvalidValue);
    *out = malloc(sizeof **out);
    (*out)->recording = graph;
    graph->owners++;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaGraphInstantiateWithFlags(Executable **out, Recording *graph, unsigned long long flags)
{
    return cudaGraphInstantiate(out, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(Executable **out, Recording *graph, void *parameters)
{
    (void)parameters;
    return cudaGraphInstantiate(out, graph, 0);
}

static cudaError_t record_child(Recording *into, const Recording *child)
{
    for (size_t i = 0; i < child->count; i++)
        vgrt_record(into, &child->work[i]);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(Executable *executable, void *stream)
{
    Recording *around;
    if (!executable)
        return vgrt_done(cudaErrorInvalidValue);
    cudaError_t error = vgrt_recording_of(stream, &around);
    const Recording *recording = executable->recording;
    if (!error && around)
        return vgrt_done(record_child(around, recording));
    for (size_t i = 0; i < recording->count && !error; i++)
        error = vgrt_perform(&recording->work[i]);
    return vgrt_done(error);
}

cudaError_t cudaGraphUpload(Executable *executable, void *stream)
{
    (void)stream;
    return vgrt_done(executable ? cudaSuccess : cudaErrorInvalidValue);
}

typedef struct {
    int result;
    void *node, *from;
} UpdateResult;

static int same_kinds(const Recording *a, const Recording *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (a->work[i].kind != b->work[i].kind)
            return 0;
    return a->count == b->count;
}

cudaError_t cudaGraphExecUpdate(Executable *executable, Recording *graph, UpdateResult *result)
{
    if (!executable || !graph)
        return vgrt_done(cudaErrorInvalidValue);
    int same = same_kinds(executable->recording, graph);
    if (result)
        *result = (UpdateResult){.result = !same};
    if (!same)
        return vgrt_done(cudaErrorGraphExecUpdateFailure);
    graph->owners++;
    vgrt_release_recording(executable->recording);
    executable->recording = graph;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(const Recording *graph, void **nodes, size_t *count)
{
    if (!graph || !count)
        return vgrt_done(cudaErrorInvalidValue);
    for (size_t i = 0; nodes && i < *count; i++)
        nodes[i] = i < graph->count ? &graph->work[i] : NULL;
    *count = nodes && *count < graph->count ? *count : graph->count;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaGraphExecDestroy(Executable *executable)
{
    if (!executable)
        return vgrt_done(cudaErrorInvalidValue);
    vgrt_release_recording(executable->recording);
    free(executable);
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaGraphDestroy(Recording *graph)
{
    if (!graph)
        return vgrt_done(cudaErrorInvalidValue);
    vgrt_release_recording(graph);
    return vgrt_done(cudaSuccess);
}

PER_THREAD(cudaGraphLaunch);
PER_THREAD(cudaGraphUpload);
PER_THREAD(cudaGraphInstantiateWithParams);
