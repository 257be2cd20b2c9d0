/* Resident blocks: their memory, and the state in which their warps begin. */
#include "residents.h"
#include "meeting.h"
#include "paths.h"
#include "tally.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_BYTES offsetof(VgWarp, registers)
#define SHARED_ALIGNMENT 1024
#define POISON_BYTE 0xff
#define PENDING_ROOM 256 /* what code makes sure of at a time: frame.py */
#define OTHER_POISON_BYTE 0x7f /* large, where the first is a NaN or -1 */

_Static_assert(offsetof(VgWarp, slice) == 8 && offsetof(VgWarp, local) == 32, "frame.py");
_Static_assert(offsetof(VgWarp, clock) == 56, "frame.py");
_Static_assert(offsetof(VgWarp, pc) == 64 && offsetof(VgWarp, tid) == 192 && HEAD_BYTES == 576, "frame.py");
_Static_assert(offsetof(VgBlock, ctaid) == 24 && offsetof(VgBlock, sm) == 60, "frame.py");
_Static_assert(offsetof(VgBlock, counters) == 64 && offsetof(VgBlock, workspace) == 88, "frame.py");
_Static_assert(offsetof(VgBlock, clusterid) == 96 && offsetof(VgBlock, is_explicit_cluster) == 152, "frame.py");
_Static_assert(offsetof(VgBlock, pending) == 160 && offsetof(VgBlock, pending_full) == 168, "frame.py");
_Static_assert(sizeof(VgPending) == 24 && offsetof(VgPending, site) == 16, "frame.py");

__thread int64_t *vg_site_counters;
static pthread_mutex_t handing_over = PTHREAD_MUTEX_INITIALIZER;

static int64_t threads_of(const VgLaunch *launch)
{
    return (int64_t)launch->block[0] * launch->block[1] * launch->block[2];
}

static void *aligned(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
}

static uint8_t *make_heads(const VgLaunch *launch, int warps)
{
    int64_t threads = threads_of(launch);
    uint8_t *heads = aligned(64, HEAD_BYTES * (size_t)warps);
    memset(heads, 0, HEAD_BYTES * (size_t)warps);
    for (int64_t thread = 0; thread < 32 * (int64_t)warps; thread++) {
        VgWarp *warp = (VgWarp *)(heads + HEAD_BYTES * (size_t)(thread / 32));
        int lane = (int)(thread % 32);
        warp->index = (uint32_t)(thread / 32);
        warp->pc[lane] = thread < threads ? 0 : VG_EXITED;
        warp->tid[0][lane] = (uint32_t)(thread % launch->block[0]);
        warp->tid[1][lane] = (uint32_t)(thread / launch->block[0] % launch->block[1]);
        warp->tid[2][lane] = (uint32_t)(thread / launch->block[0] / launch->block[1]);
    }
    return heads;
}

VgHome vg_home_new(VgLaunch *launch)
{
    VgHome home = {.launch = launch};
    home.ranges = calloc((size_t)launch->site_count + 1, sizeof *home.ranges);
    home.scratch = calloc(2 * (size_t)launch->basic_blocks + 1, sizeof *home.scratch);
    home.sampled = calloc((size_t)launch->counter_count + 1, sizeof *home.sampled);
    vg_site_counters = home.sampled + 2 * (size_t)launch->basic_blocks;
    home.whole = calloc(2 * (size_t)launch->basic_blocks + 1, sizeof *home.whole);
    home.pending = calloc(2 * PENDING_ROOM, sizeof *home.pending);
    home.heads = make_heads(launch, (int)((threads_of(launch) + 31) / 32));
    return home;
}

void vg_home_free(VgHome *home)
{
    vg_tally_add(home);
    free(home->ranges);
    free(home->scratch);
    free(home->sampled);
    free(home->whole);
    free(home->heads);
    free(home->pending);
}

VgBlock *vg_block_new(const VgHome *home)
{
    VgLaunch *launch = home->launch;
    VgBlock *block = aligned(64, sizeof *block);
    memset(block, 0, sizeof *block);
    block->launch = launch;
    block->warps = (int)((threads_of(launch) + 31) / 32);
    block->parameters = launch->parameters;
    block->parameter_bytes = (int32_t)launch->parameter_bytes;
    block->variables = launch->variables;
    block->workspace = launch->workspace;
    block->ranges = home->ranges;
    block->pending = block->first_pending = home->pending;
    block->pending_full = home->pending + PENDING_ROOM;
    block->shared_bytes = (uint32_t)launch->shared_bytes;
    block->local_bytes = (uint32_t)launch->local_bytes;
    for (int axis = 0; axis < 3; axis++) {
        block->nctaid[axis] = launch->grid[axis];
        block->ntid[axis] = launch->block[axis];
    }
    size_t warps = (size_t)block->warps;
    block->contexts = aligned(128, warps * (size_t)launch->context_bytes);
    block->shared = aligned(SHARED_ALIGNMENT, (size_t)launch->shared_bytes);
    block->local = aligned(128, warps * 32 * (size_t)launch->local_bytes);
    block->state = calloc(warps, 1);
    block->result = calloc(warps, sizeof *block->result);
    block->arrived = calloc(warps, sizeof *block->arrived);
    block->seen = calloc(warps, sizeof *block->seen);
    block->looked_at = calloc(VG_MOST_LOOKED, sizeof *block->looked_at);
    return block;
}

void vg_block_free(VgBlock *block)
{
    if (!block)
        return;
    free(block->contexts);
    free(block->shared);
    free(block->local);
    free(block->state);
    free(block->result);
    free(block->arrived);
    free(block->seen);
    free(block->looked_at);
    vg_watch_block_free(block);
    vg_profile_free(block->kept_profile);
    free(block->own_tally);
    vg_paths_free(block);
    free(block);
}

static void begin_contexts(const VgHome *home, VgBlock *block)
{
    size_t context = (size_t)home->launch->context_bytes, local = 32 * (size_t)home->launch->local_bytes;
    int other = home->launch->options & VG_OTHER_POISON;
    int poison = home->launch->options & VG_POISON ? other ? OTHER_POISON_BYTE : POISON_BYTE : 0;
    for (int w = 0; w < block->warps; w++) {
        VgWarp *warp = vg_warp_of(block, w);
        memcpy(warp, home->heads + HEAD_BYTES * (size_t)w, HEAD_BYTES);
        memset(warp->registers, poison, context - HEAD_BYTES);
        warp->local = block->local + local * (size_t)w;
        warp->block = block;
    }
    memset(block->shared, poison, block->shared_bytes);
    memset(block->local, poison, local * (size_t)block->warps);
}

void vg_block_begin(const VgHome *home, VgBlock *block, int64_t index, int64_t number)
{
    const VgLaunch *launch = home->launch;
    block->index = index;
    block->number = number;
    block->living = block->warps;
    block->still_rounds = 0;
    block->ctaid[0] = (int32_t)(index % launch->grid[0]);
    block->ctaid[1] = (int32_t)(index / launch->grid[0] % launch->grid[1]);
    block->ctaid[2] = (int32_t)(index / launch->grid[0] / launch->grid[1]);
    block->sm = (int32_t)(index % 132);
    block->slice = (uint32_t)(vg_takes_turns(launch, index, number) ? launch->short_slice : launch->slice);
    vg_tally_begin(home, block);
    vg_paths_begin(block);
    memset(block->barriers, 0, sizeof block->barriers);
    memset(block->state, VG_RUNNABLE, (size_t)block->warps);
    begin_contexts(home, block);
    block->async = NULL;
    vg_watch_block_begin(block);
    block->profile = number < 0 ? NULL : vg_profile_begin(block->kept_profile, launch, number);
    block->kept_profile = block->profile ? block->profile : block->kept_profile;
    if (vg_async_begin)
        vg_async_begin(block);
}

void vg_block_end(VgHome *home, VgBlock *block, int is_whole)
{
    if (vg_async_end)
        vg_async_end(block);
    if (is_whole)
        vg_tally_end(home, block);
    if (block->profile) {
        pthread_mutex_lock(&handing_over);
        vg_profile_end(block->profile, block->launch, is_whole);
        pthread_mutex_unlock(&handing_over);
    }
    block->profile = NULL;
}
