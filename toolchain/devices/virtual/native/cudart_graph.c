/* Graphs: what a capture recorded, or nodes that were added (cudart_graph_nodes.c), replayed one after another. */
#include "cudart_graph.h"

#include <stdlib.h>
#include <string.h>

/* --- recordings --- */

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

static void forget_work(Node *node)
{
    if (node->work.kind == WORK_LAUNCH)
        free((void *)node->work.launch.parameters);
    if (node->work.kind == WORK_GRAPH)
        vgrt_release_recording(node->work.graph);
}

static void keep_work(Node *node, const Work *work)
{
    node->work = *work;
    if (work->kind == WORK_LAUNCH)
        node->work.launch.parameters = copied(work->launch.parameters, work->launch.parameter_bytes);
    if (work->kind == WORK_GRAPH)
        work->graph->owners++;
}

void vgrt_set_work(Node *node, const Work *work)
{
    Node before = *node;
    keep_work(node, work);
    forget_work(&before);
}

void vgrt_come_after(Node *node, Node *before)
{
    node->after = realloc(node->after, (node->after_count + 1) * sizeof *node->after);
    node->after[node->after_count++] = before;
}

Node *vgrt_add_node(Recording *recording, const Work *work)
{
    if (recording->count == recording->room) {
        recording->room = recording->room ? 2 * recording->room : 16;
        recording->nodes = realloc(recording->nodes, recording->room * sizeof *recording->nodes);
    }
    Node *node = recording->nodes[recording->count++] = calloc(1, sizeof *node);
    node->home = recording;
    keep_work(node, work);
    return node;
}

/* A capture's streams are taken as one: each node comes after the one before. */
cudaError_t vgrt_record(Recording *recording, const Work *work)
{
    Node *before = recording->count ? recording->nodes[recording->count - 1] : NULL;
    Node *node = vgrt_add_node(recording, work);
    if (before)
        vgrt_come_after(node, before);
    return cudaSuccess;
}

cudaError_t vgrt_replay(const Recording *recording)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < recording->count && !error; i++)
        error = vgrt_perform(&recording->nodes[i]->work);
    return error;
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

static void free_node(Node *node)
{
    forget_work(node);
    free(node->after);
    free(node->arguments);
    free(node);
}

void vgrt_release_recording(Recording *recording)
{
    if (--recording->owners)
        return;
    for (size_t i = 0; i < recording->count; i++)
        free_node(recording->nodes[i]);
    for (size_t i = 0; i < recording->allocation_count; i++)
        vgrt_free(recording->allocations[i]);
    if (recording->source)
        vgrt_release_recording(recording->source);
    if (recording->latest)
        vgrt_release_recording(recording->latest);
    free(recording->allocations);
    free(recording->nodes);
    free(recording);
}

/* --- instantiating --- */

static int is_ready(const Node *node, size_t placed)
{
    for (size_t i = 0; i < node->after_count; i++)
        if (node->after[i]->place >= placed)
            return 0;
    return node->place == SIZE_MAX;
}

/* The nodes in an order that their dependencies allow, otherwise as they were added; NULL where there is none. */
static Node **ordered(const Recording *graph)
{
    Node **order = malloc((graph->count + 1) * sizeof *order);
    size_t placed = 0, before = SIZE_MAX;
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i]->place = SIZE_MAX;
    while (placed < graph->count && placed != before) {
        before = placed;
        for (size_t i = 0; i < graph->count; i++)
            if (is_ready(graph->nodes[i], placed)) {
                graph->nodes[i]->place = placed;
                order[placed++] = graph->nodes[i];
            }
    }
    if (placed == graph->count)
        return order;
    free(order);
    return NULL;
}

Recording *vgrt_snapshot(Recording *graph)
{
    Node **order = ordered(graph);
    if (!order)
        return NULL;
    Recording *copy = vgrt_new_recording();
    for (size_t i = 0; i < graph->count; i++) {
        Node *node = vgrt_add_node(copy, &order[i]->work);
        node->origin = order[i];
        node->place = i;
        for (size_t j = 0; j < order[i]->after_count; j++)
            vgrt_come_after(node, copy->nodes[order[i]->after[j]->place]);
    }
    copy->source = graph;
    graph->owners++;
    free(order);
    return copy;
}

cudaError_t cudaGraphInstantiate(Executable **out, Recording *graph, unsigned long long flags)
{
    (void)flags;
    Recording *recording = out && graph ? vgrt_snapshot(graph) : NULL;
    if (!recording)
        return vgrt_done(cudaErrorInvalidValue);
    *out = malloc(sizeof **out);
    (*out)->recording = recording;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaGraphInstantiateWithFlags(Executable **, Recording *, unsigned long long)
    __attribute__((alias("cudaGraphInstantiate")));

cudaError_t cudaGraphInstantiateWithParams(Executable **out, Recording *graph, void *parameters)
{
    (void)parameters;
    return cudaGraphInstantiate(out, graph, 0);
}

/* --- launching --- */

static cudaError_t record_child(Recording *into, const Recording *child)
{
    for (size_t i = 0; i < child->count; i++)
        vgrt_record(into, &child->nodes[i]->work);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(Executable *executable, void *stream)
{
    Recording *around;
    if (!executable)
        return vgrt_done(cudaErrorInvalidValue);
    cudaError_t error = vgrt_recording_of(stream, &around);
    if (error)
        return vgrt_done(error);
    return vgrt_done(around ? record_child(around, executable->recording) : vgrt_replay(executable->recording));
}

cudaError_t cudaGraphUpload(Executable *executable, void *stream)
{
    (void)stream;
    return vgrt_done(executable ? cudaSuccess : cudaErrorInvalidValue);
}

/* --- updating --- */

enum { UPDATE_DONE, UPDATE_TOPOLOGY = 2, UPDATE_KIND = 3 };

typedef struct {
    int result;
    const void *node, *from;
} UpdateResult;

/* Whether nodes of two snapshots come after the same places. */
static int same_edges(const Node *a, const Node *b)
{
    if (a->after_count != b->after_count)
        return 0;
    for (size_t i = 0; i < a->after_count; i++) {
        size_t j = 0;
        while (j < b->after_count && b->after[j]->place != a->after[i]->place)
            j++;
        if (j == b->after_count)
            return 0;
    }
    return 1;
}

static UpdateResult compared(const Recording *old, const Recording *new)
{
    if (old->count != new->count)
        return (UpdateResult){UPDATE_TOPOLOGY, NULL, NULL};
    for (size_t i = 0; i < old->count; i++) {
        const Node *node = new->nodes[i];
        if (old->nodes[i]->work.kind != node->work.kind)
            return (UpdateResult){UPDATE_KIND, node->origin, NULL};
        if (!same_edges(old->nodes[i], node))
            return (UpdateResult){UPDATE_TOPOLOGY, node->origin, NULL};
    }
    return (UpdateResult){UPDATE_DONE, NULL, NULL};
}

/* The nodes are still named by those of the graph that was instantiated. */
static void take_over(Recording *old, const Recording *new, Recording *graph)
{
    for (size_t i = 0; i < old->count; i++)
        vgrt_set_work(old->nodes[i], &new->nodes[i]->work);
    graph->owners++;
    if (old->latest)
        vgrt_release_recording(old->latest);
    old->latest = graph;
}

cudaError_t cudaGraphExecUpdate(Executable *executable, Recording *graph, UpdateResult *result)
{
    Recording *new = executable && graph ? vgrt_snapshot(graph) : NULL;
    if (!new)
        return vgrt_done(cudaErrorInvalidValue);
    UpdateResult found = compared(executable->recording, new);
    if (result)
        *result = found;
    if (!found.result)
        take_over(executable->recording, new, graph);
    vgrt_release_recording(new);
    return vgrt_done(found.result ? cudaErrorGraphExecUpdateFailure : cudaSuccess);
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
