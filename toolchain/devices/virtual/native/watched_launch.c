/* A watched launch begins and ends. */
#include <stdlib.h>
#include <string.h>

#include "watch.h"

#define MOST_CELLS (3u << 20) /* of all allocations: 192 MiB */

static unsigned shift_of(const VgLaunch *launch, int space)
{
    unsigned least = 16;
    for (int i = 0; i < launch->site_count; i++) {
        const VgSite *what = &launch->sites[i];
        int is_either = what->space == VG_GENERIC || (what->space == VG_CLUSTER && space == VG_SHARED);
        if ((what->space == space || is_either) && what->bytes < least)
            least = what->bytes;
    }
    return (unsigned)__builtin_ctz(least);
}

void vg_watch_begin(VgLaunch *launch)
{
    launch->watch = NULL;
    if (!launch->watched_accesses)
        return;
    VgWatch *watch = launch->watch = calloc(1, sizeof *watch);
    size_t blocks = (size_t)launch->grid[0] * (size_t)launch->grid[1] * (size_t)launch->grid[2];
    watch->watcher = pthread_self();
    watch->now = 1;
    watch->left = launch->watched_accesses;
    watch->cells_left = MOST_CELLS;
    watch->shared_shift = shift_of(launch, VG_SHARED);
    watch->global_shift = shift_of(launch, VG_GLOBAL);
    watch->fenced = (launch->options & VG_FENCED) != 0;
    if (watch->fenced) {
        watch->released = calloc(blocks, sizeof *watch->released);
        watch->acquired = calloc(blocks, sizeof *watch->acquired);
    }
}

/* What was noted, for the caller; the launch's allowance is what it has left. */
void vg_watch_end(VgLaunch *launch)
{
    VgWatch *watch = launch->watch;
    if (!watch)
        return;
    launch->noted_count = watch->noted;
    memcpy(launch->noted, watch->faults, (size_t)watch->noted * sizeof *watch->faults);
    launch->watched_accesses = watch->left > 0 ? watch->left : 0;
    vg_forget_cells();
    if (watch->left <= 0)
        vg_forget_written(); /* some blocks went unwatched */
    free(watch->released);
    free(watch->acquired);
    free(watch);
    launch->watch = NULL;
}
