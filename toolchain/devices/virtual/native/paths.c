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
    size_t blocks = blocks_of(block), warps = (size_t)block->warps, count = (warps + VG_PATH_BARRIERS) * blocks;
    if (count > paths->room) {
        free(paths->ahead);
        paths->ahead = malloc(count * sizeof *paths->ahead);
        paths->room = count;
    }
    memset(paths->ahead, 0, warps * blocks * sizeof *paths->ahead);
    memset(paths->arrived_length, 0, sizeof paths->arrived_length);
    for (size_t i = 0; i < VG_PATH_BARRIERS; i++)
        paths->arrived[i] = paths->ahead + (warps + i) * blocks;
}

void vg_paths_free(VgBlock *block)
{
    if (block->kept_paths)
        free(block->kept_paths->ahead);
    free(block->kept_paths);
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

int64_t vg_paths_end(const VgBlock *block, int64_t *path)
{
    int longest = 0;
    for (int w = 1; w < block->warps; w++)
        if (length_of(block, w) > length_of(block, longest))
            longest = w;
    write_path(block, longest, path);
    return sum_along(block, longest, block->launch->lengths, 1);
}
