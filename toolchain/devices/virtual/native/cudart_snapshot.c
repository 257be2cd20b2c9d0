/* Copies of device memory, so that a launch can be sampled and then run as if it had not been. */
#include <stdlib.h>
#include <string.h>

#include "cudart.h"

struct Snapshot {
    int64_t count;
    uint64_t *pairs; /* first address, bytes */
    char *bytes;
};

/* What was freed since is left out. */
static int is_writable(const uint64_t *pair)
{
    const VgAllocation *found = vg_nearest(pair[0]);
    return found && found->base == pair[0] && found->bytes == pair[1] && found->writable;
}

static void keep_writable(Snapshot *snapshot)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < snapshot->count; i++) {
        const uint64_t *pair = snapshot->pairs + 2 * i;
        if (is_writable(pair))
            memmove(snapshot->pairs + 2 * kept++, pair, 2 * sizeof *pair);
    }
    snapshot->count = kept;
}

static uint64_t total_bytes(const Snapshot *snapshot)
{
    uint64_t total = 0;
    for (int64_t i = 0; i < snapshot->count; i++)
        total += snapshot->pairs[2 * i + 1];
    return total;
}

static void move(const Snapshot *snapshot, int back)
{
    char *place = snapshot->bytes;
    for (int64_t i = 0; i < snapshot->count; i++) {
        const uint64_t *pair = snapshot->pairs + 2 * i;
        char *memory = (char *)(uintptr_t)pair[0];
        if (is_writable(pair))
            memcpy(back ? memory : place, back ? place : memory, pair[1]);
        place += pair[1];
    }
}

void vgrt_drop_snapshot(Snapshot *snapshot)
{
    if (!snapshot)
        return;
    free(snapshot->pairs);
    free(snapshot->bytes);
    free(snapshot);
}

Snapshot *vgrt_take_snapshot(uint64_t most_bytes)
{
    Snapshot *snapshot = calloc(1, sizeof *snapshot);
    snapshot->count = vg_list(NULL, 0);
    snapshot->pairs = malloc((size_t)snapshot->count * 16 + 1);
    vg_list(snapshot->pairs, snapshot->count);
    keep_writable(snapshot);
    uint64_t total = total_bytes(snapshot);
    snapshot->bytes = total <= most_bytes ? malloc(total + 1) : NULL;
    if (!snapshot->bytes) {
        vgrt_drop_snapshot(snapshot);
        return NULL;
    }
    move(snapshot, 0);
    return snapshot;
}

void vgrt_put_back(Snapshot *snapshot)
{
    move(snapshot, 1);
    vgrt_drop_snapshot(snapshot);
}
