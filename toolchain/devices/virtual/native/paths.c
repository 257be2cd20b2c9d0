/* The longest path through a sampled block: where warps meet, all go on from the one that has come the longest way. */
#include "paths.h"

#include <stdlib.h>
#include <string.h>

#include "residents.h"

static size_t blocks_of(const VgBlock *block) { return (size_t)block->launch->basic_blocks; }

void vg_paths_begin(VgBlock *block)
{
    block->paths = NULL;
    if (block->number < 0)
        return;
    if (!block->kept_paths)
        block->kept_paths = calloc(1, sizeof *block->kept_paths);
    VgPaths *paths = block->paths = block->kept_paths;
    size_t blocks = blocks_of(block), warps = (size_t)block->warps, count = (2 * warps + VG_PATH_BARRIERS) * blocks;
    if (count > paths->room) {
        free(paths->ahead);
        paths->ahead = malloc(count * sizeof *paths->ahead);
        paths->room = count;
    }
    memset(paths->ahead, 0, warps * blocks * sizeof *paths->ahead);
    memset(paths->arrived_length, 0, sizeof paths->arrived_length);
    for (size_t i = 0; i < VG_PATH_BARRIERS; i++)
        paths->arrived[i] = paths->ahead + (warps + i) * blocks;
    paths->polled = paths->ahead + (warps + VG_PATH_BARRIERS) * blocks;
    paths->has_polled = 0;
    for (size_t i = 0; i < paths->handed_on_count; i++)
        paths->handed_on[i].barrier = 0;
}

void vg_paths_free(VgBlock *block)
{
    VgPaths *paths = block->kept_paths;
    for (size_t i = 0; paths && i < paths->handed_on_count; i++)
        free(paths->handed_on[i].path[0]);
    if (paths) {
        free(paths->ahead);
        free(paths->handed_on);
    }
    free(paths);
}

static int64_t *ahead_of(const VgBlock *block, int warp) { return block->paths->ahead + (size_t)warp * blocks_of(block); }

static const int64_t *own_of(const VgBlock *block, int warp)
{
    return block->tally + (size_t)warp * block->tally_step;
}

/* Along a warp's path, of instructions, or of something that each basic block has `step` numbers for. */
static int64_t sum_along(const VgBlock *block, int warp, const int32_t *numbers, size_t step)
{
    const int64_t *ahead = ahead_of(block, warp), *own = own_of(block, warp);
    size_t blocks = blocks_of(block);
    int64_t sum = 0;
    for (size_t i = 0; i < blocks; i++)
        sum += (ahead[i] + own[2 * i]) * numbers[step * i];
    return sum;
}

/* In instructions; in cycles where the launch has clocks, since who polls issues little for as long. */
static int64_t length_of(const VgBlock *block, int warp)
{
    const VgLaunch *launch = block->launch;
    return launch->cycles ? sum_along(block, warp, launch->cycles, 2) : sum_along(block, warp, launch->lengths, 1);
}

static void write_path(const VgBlock *block, int warp, int64_t *restrict path)
{
    const int64_t *ahead = ahead_of(block, warp), *own = own_of(block, warp);
    size_t blocks = blocks_of(block);
    for (size_t i = 0; i < blocks; i++)
        path[i] = ahead[i] + own[2 * i];
}

static void go_on_from(const VgBlock *block, int warp, const int64_t *path)
{
    int64_t *restrict ahead = ahead_of(block, warp);
    const int64_t *own = own_of(block, warp);
    size_t blocks = blocks_of(block);
    for (size_t i = 0; i < blocks; i++)
        ahead[i] = path[i] - own[2 * i];
}

void vg_paths_arrive(VgBlock *block, int warp, uint32_t barrier)
{
    VgPaths *paths = block->paths;
    int64_t length = paths ? length_of(block, warp) : 0;
    if (!paths || length <= paths->arrived_length[barrier])
        return;
    paths->arrived_length[barrier] = length;
    write_path(block, warp, paths->arrived[barrier]);
}

void vg_paths_follow(VgBlock *block, int warp, uint32_t barrier)
{
    const VgPaths *paths = block->paths;
    if (paths && paths->arrived_length[barrier] > length_of(block, warp))
        go_on_from(block, warp, paths->arrived[barrier]);
}

void vg_paths_meet(VgBlock *block, uint32_t barrier, const uint8_t *leaving, int all)
{
    if (!block->paths)
        return;
    for (int w = 0; w < block->warps; w++)
        if (leaving[w] || (all && block->state[w] == VG_DONE))
            vg_paths_arrive(block, w, barrier);
    for (int w = 0; w < block->warps; w++)
        if (leaving[w])
            go_on_from(block, w, block->paths->arrived[barrier]);
    block->paths->arrived_length[barrier] = 0;
}

/* --- mbarriers ------------------------------------------------------------------------------------------------------ */

static VgHandedOn *find(const VgPaths *paths, uint64_t barrier)
{
    for (size_t i = 0; i < paths->handed_on_count; i++)
        if (paths->handed_on[i].barrier == barrier)
            return paths->handed_on + i;
    return NULL;
}

/* In a place that a block before this one has left, or a new one. */
static VgHandedOn *begin(VgPaths *paths, uint64_t barrier, size_t blocks)
{
    VgHandedOn *place = find(paths, 0);
    if (!place) {
        if (paths->handed_on_count == paths->handed_on_room) {
            paths->handed_on_room = paths->handed_on_room ? 2 * paths->handed_on_room : 8;
            paths->handed_on = realloc(paths->handed_on, paths->handed_on_room * sizeof *paths->handed_on);
        }
        place = paths->handed_on + paths->handed_on_count++;
        place->path[0] = malloc((2 * blocks + 1) * sizeof *place->path[0]);
        place->path[1] = place->path[0] + blocks;
    }
    place->barrier = barrier;
    place->phase = 0;
    place->length[0] = place->length[1] = 0;
    return place;
}

/* Paths of the block that has an mbarrier: another one of its cluster may wait there. */
static VgPaths *paths_at(const VgBlock *block, uint64_t barrier)
{
    const VgBlock *holder = block->paths ? vg_shared_holder(block, barrier) : NULL;
    return holder ? holder->paths : NULL;
}

void vg_paths_hand_on(const VgWarp *warp, uint64_t barrier, uint32_t phase)
{
    const VgBlock *block = warp->block;
    VgPaths *paths = paths_at(block, barrier);
    if (!paths)
        return;
    VgHandedOn *mark = find(paths, barrier);
    mark = mark ? mark : begin(paths, barrier, blocks_of(block));
    if (mark->phase != phase)
        mark->length[phase] = 0;
    mark->phase = phase;
    int64_t length = length_of(block, (int)warp->index);
    if (length <= mark->length[phase])
        return;
    mark->length[phase] = length;
    write_path(block, (int)warp->index, mark->path[phase]);
}

void vg_paths_take_over(const VgWarp *warp, uint64_t barrier, uint32_t phase)
{
    VgBlock *block = warp->block;
    const VgPaths *paths = paths_at(block, barrier);
    const VgHandedOn *mark = paths ? find(paths, barrier) : NULL;
    if (mark && mark->length[phase] > length_of(block, (int)warp->index))
        go_on_from(block, (int)warp->index, mark->path[phase]);
}

static int only_waited(const VgBlock *block, const int64_t *own, const int64_t *polled)
{
    for (size_t i = 0; i < blocks_of(block); i++)
        if (own[2 * i] != polled[i] && !block->launch->only_waits[i])
            return 0;
    return 1;
}

void vg_paths_poll(const VgWarp *warp)
{
    VgBlock *block = warp->block;
    VgPaths *paths = block->paths;
    if (!paths || !block->launch->only_waits)
        return;
    size_t blocks = blocks_of(block);
    int64_t *polled = paths->polled + warp->index * blocks, *ahead = ahead_of(block, (int)warp->index);
    const int64_t *own = own_of(block, (int)warp->index);
    int is_again = paths->has_polled >> warp->index & 1 && only_waited(block, own, polled);
    for (size_t i = 0; i < blocks; i++) {
        ahead[i] -= is_again ? own[2 * i] - polled[i] : 0;
        polled[i] = own[2 * i];
    }
    paths->has_polled |= 1u << warp->index;
}

/* --- the end -------------------------------------------------------------------------------------------------------- */

int64_t vg_paths_end(const VgBlock *block, int64_t *path)
{
    int longest = 0;
    for (int w = 1; w < block->warps; w++)
        if (length_of(block, w) > length_of(block, longest))
            longest = w;
    write_path(block, longest, path);
    return sum_along(block, longest, block->launch->lengths, 1);
}
