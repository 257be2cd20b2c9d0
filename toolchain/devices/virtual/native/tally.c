/* What single warps and blocks issue, by basic block: a sum alone does not tell which block or warp is the longest. */
#include "tally.h"

#include "paths.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DRAWN_ONE_IN 128
#define SMALL_GRID 16 /* blocks; in each larger one, at least one block is drawn */

static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

int vg_takes_turns(const VgLaunch *launch, int64_t index, int64_t number)
{
    if (number >= 0 || !launch->drawn)
        return number >= 0;
    int64_t blocks = (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    uint64_t mixed = ((uint64_t)index ^ launch->drawn) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
    uint64_t places = (uint64_t)(blocks > SMALL_GRID ? blocks : SMALL_GRID);
    return mixed >> 32 < UINT32_MAX / DRAWN_ONE_IN || (uint64_t)index == launch->drawn % places;
}

static size_t counters_of(const VgLaunch *launch) { return 2 * (size_t)launch->basic_blocks; }

static size_t rows_of(const VgBlock *block)
{
    return block->number >= 0 ? (size_t)block->warps : block->launch->whole != NULL;
}

void vg_tally_begin(const VgHome *home, VgBlock *block)
{
    size_t rows = rows_of(block), step = counters_of(home->launch);
    block->tally = block->counters = home->scratch;
    block->tally_step = rows > 1 ? step : 0;
    if (!rows)
        return;
    if (rows > block->own_tally_rows) {
        free(block->own_tally);
        block->own_tally = malloc((rows * step + 1) * sizeof *block->own_tally);
        block->own_tally_rows = rows;
    }
    memset(block->own_tally, 0, rows * step * sizeof *block->own_tally);
    block->tally = block->counters = block->own_tally;
}

static int64_t issued(const VgLaunch *launch, const int64_t *counters)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < launch->basic_blocks; i++)
        sum += counters[2 * i] * launch->lengths[i];
    return sum;
}

int64_t vg_tally_issued(const VgBlock *block)
{
    int64_t sum = 0;
    for (size_t row = 0; row < rows_of(block); row++)
        sum += issued(block->launch, block->tally + row * block->tally_step);
    return sum;
}

static void add(int64_t *sums, const int64_t *counters, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += counters[i];
}

void vg_tally_end(VgHome *home, const VgBlock *block)
{
    VgLaunch *launch = home->launch;
    int64_t sum = 0;
    for (size_t row = 0; row < rows_of(block); row++) {
        const int64_t *counters = block->tally + row * block->tally_step;
        sum += issued(launch, counters);
        add(home->whole, counters, counters_of(launch));
        if (block->number >= 0)
            add(home->sampled, counters, counters_of(launch));
    }
    if (block->number >= 0) {
        launch->issued[block->number] = sum;
        int64_t *path = launch->paths + block->number * launch->basic_blocks;
        launch->issued[launch->sampled_count + block->number] = vg_paths_end(block, path);
    }
    if (sum > home->longest) {
        home->longest = sum;
        home->longest_block = block->index;
    }
}

void vg_tally_add(const VgHome *home)
{
    VgLaunch *launch = home->launch;
    if (!launch->sampled)
        return;
    pthread_mutex_lock(&adding);
    add(launch->counters, home->sampled, (size_t)launch->counter_count);
    if (launch->whole)
        add(launch->whole, home->whole, counters_of(launch));
    if (home->longest > launch->longest) {
        launch->longest = home->longest;
        launch->longest_block = home->longest_block;
    }
    pthread_mutex_unlock(&adding);
}
