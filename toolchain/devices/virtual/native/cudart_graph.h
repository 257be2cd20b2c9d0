/* Graphs inside: nodes, in the order in which they were recorded or added, and what each comes after. */
#ifndef CUDART_GRAPH_H
#define CUDART_GRAPH_H

#include "cudart.h"

typedef struct Node {
    Work work;
    Recording *home;
    const struct Node *origin; /* in what is instantiated, the graph's node that this is a copy of */
    const void *stub;          /* a launch's function, where it was added as a node */
    size_t after_count;
    struct Node **after;
    size_t place;     /* in the order that its dependencies ask for */
    void **arguments; /* what cudaGraphKernelNodeGetParams has told of */
} Node;

struct Recording {
    int owners; /* the graph, what was instantiated from it, graphs that hold it as a node */
    size_t count, room;
    Node **nodes;
    size_t allocation_count;
    void **allocations; /* made while capturing; they live as long as the recording */
    Recording *source, *latest; /* what this was instantiated from, and what it was last updated by */
};

/* What cudaGraphInstantiate returns; the recording is its own. */
typedef struct {
    Recording *recording;
} Executable;

/* Adds a copy of `work`. */
Node *vgrt_add_node(Recording *recording, const Work *work);
void vgrt_come_after(Node *node, Node *before);
/* Replaces a node's work by a copy of `work`. */
void vgrt_set_work(Node *node, const Work *work);
/* A copy, in an order to run it, that further changes of the graph leave alone; NULL where nodes wait for each other. */
Recording *vgrt_snapshot(Recording *graph);

#endif
