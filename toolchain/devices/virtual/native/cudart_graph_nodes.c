/* Graphs built node by node: kernels, copies, fills, graphs, and nodes that only join. */
#include "cudart_graph.h"

#include <stdlib.h>

/* --- adding --- */

static int are_of(const Recording *graph, Node *const *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!nodes || !nodes[i] || nodes[i]->home != graph)
            return 0;
    return 1;
}

static cudaError_t add(Node **out, Recording *graph, Node *const *after, size_t count, const Work *work)
{
    if (!out || !graph || !are_of(graph, after, count))
        return vgrt_done(cudaErrorInvalidValue);
    *out = vgrt_add_node(graph, work);
    for (size_t i = 0; i < count; i++)
        vgrt_come_after(*out, after[i]);
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaGraphCreate(Recording **out, unsigned flags)
{
    if (!out || flags)
        return vgrt_done(cudaErrorInvalidValue);
    *out = vgrt_new_recording();
    return vgrt_done(cudaSuccess);
}

static cudaError_t launch_of(const KernelNode *given, Work *work)
{
    if (!given || !given->arguments)
        return vgrt_done(cudaErrorInvalidValue);
    LaunchConfig config = {given->grid, given->block, given->dynamic_shared, NULL, NULL, 0};
    return vgrt_make_launch(&config, given->function, given->arguments, work);
}

cudaError_t cudaGraphAddKernelNode(Node **out, Recording *graph, Node *const *after, size_t count, const KernelNode *given)
{
    Work work;
    cudaError_t error = launch_of(given, &work);
    if (error)
        return error;
    error = add(out, graph, after, count, &work);
    if (!error)
        (*out)->stub = given->function;
    free((void *)work.launch.parameters);
    return error;
}

cudaError_t cudaGraphAddMemcpyNode(Node **out, Recording *graph, Node *const *after, size_t count, const Copy3D *given)
{
    Work work;
    cudaError_t error = given ? vgrt_make_copy_3d(given, &work) : cudaErrorInvalidValue;
    return error ? vgrt_done(error) : add(out, graph, after, count, &work);
}

static CopyWork row_of(void *dst, const void *src, size_t bytes)
{
    return (CopyWork){.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1};
}

cudaError_t cudaGraphAddMemcpyNode1D(Node **out, Recording *graph, Node *const *after, size_t count, void *dst,
                                     const void *src, size_t bytes, int kind)
{
    Work work;
    cudaError_t error = vgrt_make_copy(row_of(dst, src, bytes), kind, &work);
    return error ? vgrt_done(error) : add(out, graph, after, count, &work);
}

static cudaError_t fill_of(const FillNode *given, Work *work)
{
    if (!given || (given->element_bytes != 1 && given->element_bytes != 2 && given->element_bytes != 4))
        return vgrt_done(cudaErrorInvalidValue);
    uint32_t byte = given->value & 0xff, same = byte * 0x01010101u;
    if ((given->value ^ same) << (32 - 8 * given->element_bytes))
        return vgrt_refuse("a memset node whose bytes differ");
    FillWork fill = {.base = given->base, .pitch = given->pitch, .width = given->width * given->element_bytes,
                     .height = given->height, .depth = 1, .value = (int)byte};
    return vgrt_done(vgrt_make_fill(fill, work));
}

cudaError_t cudaGraphAddMemsetNode(Node **out, Recording *graph, Node *const *after, size_t count, const FillNode *given)
{
    Work work;
    cudaError_t error = fill_of(given, &work);
    return error ? error : add(out, graph, after, count, &work);
}

cudaError_t cudaGraphAddEmptyNode(Node **out, Recording *graph, Node *const *after, size_t count)
{
    return add(out, graph, after, count, &(Work){.kind = WORK_NOTHING});
}

/* The child as it is now. */
cudaError_t cudaGraphAddChildGraphNode(Node **out, Recording *graph, Node *const *after, size_t count, Recording *child)
{
    Recording *copy = child && child != graph ? vgrt_snapshot(child) : NULL;
    if (!copy)
        return vgrt_done(cudaErrorInvalidValue);
    cudaError_t error = add(out, graph, after, count, &(Work){.kind = WORK_GRAPH, .graph = copy});
    vgrt_release_recording(copy);
    return error;
}

cudaError_t cudaGraphAddDependencies(Recording *graph, Node *const *from, Node *const *to, const void *edges, size_t count)
{
    if (!graph || edges || !are_of(graph, from, count) || !are_of(graph, to, count))
        return vgrt_done(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        if (from[i] == to[i])
            return vgrt_done(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        vgrt_come_after(to[i], from[i]);
    return vgrt_done(cudaSuccess);
}

/* --- asking --- */

/* Gives the nodes, those alone that come after nothing where `roots`, as far as there is room; or their number. */
static cudaError_t list(const Recording *graph, Node **nodes, size_t *count, int roots)
{
    if (!graph || !count)
        return vgrt_done(cudaErrorInvalidValue);
    size_t found = 0, room = nodes ? *count : 0;
    for (size_t i = 0; i < graph->count; i++) {
        if (roots && graph->nodes[i]->after_count)
            continue;
        if (found < room)
            nodes[found] = graph->nodes[i];
        found++;
    }
    for (size_t i = found; i < room; i++)
        nodes[i] = NULL;
    *count = nodes && room < found ? room : found;
    return vgrt_done(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(const Recording *graph, Node **nodes, size_t *count) { return list(graph, nodes, count, 0); }

cudaError_t cudaGraphGetRootNodes(const Recording *graph, Node **nodes, size_t *count)
{
    return list(graph, nodes, count, 1);
}

cudaError_t cudaGraphNodeGetType(const Node *node, int *type)
{
    static const int types[] = {[WORK_LAUNCH] = NODE_KERNEL, [WORK_COPY] = NODE_COPY, [WORK_FILL] = NODE_FILL,
                                [WORK_HOST] = NODE_HOST, [WORK_GRAPH] = NODE_GRAPH, [WORK_NOTHING] = NODE_EMPTY};
    if (!node || !type)
        return vgrt_done(cudaErrorInvalidValue);
    *type = types[node->work.kind];
    return vgrt_done(cudaSuccess);
}

static dim3 shape_of(const uint32_t sizes[3]) { return (dim3){sizes[0], sizes[1], sizes[2]}; }

cudaError_t cudaGraphKernelNodeGetParams(Node *node, KernelNode *out)
{
    cudaError_t error;
    if (!node || !out || node->work.kind != WORK_LAUNCH)
        return vgrt_done(cudaErrorInvalidValue);
    if (!node->stub)
        return vgrt_refuse("cudaGraphKernelNodeGetParams of a captured launch");
    const VgKernelFacts *facts = vgrt_function(node->stub, &error)->facts;
    const VgLaunchCall *launch = &node->work.launch;
    node->arguments = realloc(node->arguments, ((size_t)facts->parameter_count + 1) * sizeof(void *));
    for (int i = 0; i < facts->parameter_count; i++)
        node->arguments[i] = (uint8_t *)launch->parameters + facts->offsets[i];
    *out = (KernelNode){node->stub, shape_of(launch->grid), shape_of(launch->block), (uint32_t)launch->dynamic_shared,
                        node->arguments, NULL};
    return vgrt_done(cudaSuccess);
}

/* --- changing --- */

static cudaError_t set_launch(Node *node, const KernelNode *given)
{
    Work work;
    if (!node || node->work.kind != WORK_LAUNCH)
        return vgrt_done(cudaErrorInvalidValue);
    cudaError_t error = launch_of(given, &work);
    if (error)
        return error;
    vgrt_set_work(node, &work);
    node->stub = given->function;
    free((void *)work.launch.parameters);
    return vgrt_done(cudaSuccess);
}

/* What was instantiated has a copy of each node. */
static Node *copy_of(const Executable *executable, const Node *node)
{
    for (size_t i = 0; executable && i < executable->recording->count; i++)
        if (executable->recording->nodes[i]->origin == node)
            return executable->recording->nodes[i];
    return NULL;
}

static cudaError_t set(Node *node, int kind, cudaError_t error, const Work *work)
{
    if (!error && (!node || (int)node->work.kind != kind))
        error = cudaErrorInvalidValue;
    if (!error)
        vgrt_set_work(node, work);
    return vgrt_done(error);
}

cudaError_t cudaGraphKernelNodeSetParams(Node *node, const KernelNode *given) { return set_launch(node, given); }

cudaError_t cudaGraphExecKernelNodeSetParams(Executable *executable, const Node *node, const KernelNode *given)
{
    return set_launch(copy_of(executable, node), given);
}

cudaError_t cudaGraphMemsetNodeSetParams(Node *node, const FillNode *given)
{
    Work work;
    return set(node, WORK_FILL, fill_of(given, &work), &work);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(Executable *executable, const Node *node, const FillNode *given)
{
    return cudaGraphMemsetNodeSetParams(copy_of(executable, node), given);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(Node *node, void *dst, const void *src, size_t bytes, int kind)
{
    Work work;
    return set(node, WORK_COPY, vgrt_make_copy(row_of(dst, src, bytes), kind, &work), &work);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(Executable *executable, const Node *node, void *dst, const void *src,
                                               size_t bytes, int kind)
{
    return cudaGraphMemcpyNodeSetParams1D(copy_of(executable, node), dst, src, bytes, kind);
}
