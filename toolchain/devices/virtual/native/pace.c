/* Clocks of resident blocks: each goes on by the cycles of the code that its block executes, and to the time at which
 * another block wrote what it reads. A launch is as long as the last of them says; a wait is no work. */
#include "pace.h"

#include "meeting.h"

#include <stdlib.h>
#include <string.h>

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t *room_for_row(const VgLaunch *launch)
{
    return calloc(2 * (size_t)launch->basic_blocks + 1, sizeof(int64_t));
}

void vg_pace_begin(VgLaunch *launch)
{
    launch->pace = NULL;
    if (!launch->cycles)
        return;
    VgPace *pace = launch->pace = calloc(1, sizeof *pace);
    pace->row_before = room_for_row(launch);
    pace->sites_before = calloc((size_t)launch->counter_count + 1, sizeof *pace->sites_before);
    pace->marks = calloc(VG_MARKS, sizeof *pace->marks);
}

void vg_pace_end(VgLaunch *launch)
{
    VgPace *pace = launch->pace;
    if (!pace)
        return;
    launch->elapsed = pace->ended;
    launch->residents = pace->place_count;
    int64_t busy = 0;
    for (int i = 0; i < pace->place_count; i++)
        busy += pace->places[i].busy;
    launch->busy_place = busy / most(pace->place_count, 1);
    free(pace->places);
    free(pace->row_before);
    free(pace->sites_before);
    free(pace->marks);
    free(pace);
    launch->pace = NULL;
}

/* --- places --------------------------------------------------------------------------------------------------------- */

static int new_place(VgPace *pace)
{
    if (pace->place_count == pace->place_room) {
        pace->place_room = pace->place_room ? 2 * pace->place_room : 64;
        pace->places = realloc(pace->places, (size_t)pace->place_room * sizeof *pace->places);
    }
    pace->places[pace->place_count] = (VgPlace){.free_at = pace->now};
    return pace->place_count++;
}

void vg_pace_enter(VgBlock *block)
{
    VgPace *pace = block->launch->pace;
    if (!pace)
        return;
    int found = -1;
    for (int i = 0; i < pace->place_count; i++)
        if (!pace->places[i].is_taken && (found < 0 || pace->places[i].free_at < pace->places[found].free_at))
            found = i;
    found = found < 0 ? new_place(pace) : found;
    pace->places[found].is_taken = 1;
    block->place = found;
    block->clock = pace->places[found].free_at;
    block->waits = block->polls = block->woken = 0;
    memset(block->seen, 0, (size_t)block->warps * sizeof *block->seen);
}

void vg_pace_leave(VgBlock *block)
{
    VgPace *pace = block->launch->pace;
    if (!pace)
        return;
    pace->places[block->place].is_taken = 0;
    pace->places[block->place].free_at = block->clock;
    pace->ended = most(pace->ended, block->clock);
}

/* --- whose turn it is ------------------------------------------------------------------------------------------------- */

/* Whether something else stands where a block looked last. */
static int is_answered(const VgBlock *block)
{
    return block->looked && vg_has_changed(block->looked_at, block->looked, VG_MOST_LOOKED);
}

static int may_go_on(const VgBlock *block) { return block->woken || is_answered(block); }

static int may_one_go_on(VgBlock *const *blocks, int count)
{
    for (int i = 0; i < count; i++)
        if (blocks[i]->living && may_go_on(blocks[i]))
            return 1;
    return 0;
}

void vg_pace_look(VgLaunch *launch, VgBlock *const *blocks, int count)
{
    if (!launch->pace)
        return;
    int64_t least = INT64_MAX;
    for (int i = 0; i < count; i++)
        if (!blocks[i]->waits && blocks[i]->living && blocks[i]->clock < least)
            least = blocks[i]->clock;
    launch->pace->all_wait = least == INT64_MAX && !may_one_go_on(blocks, count);
    if (least != INT64_MAX)
        launch->pace->now = most(launch->pace->now, least);
}

int vg_pace_is_due(const VgBlock *block)
{
    const VgPace *pace = block->launch->pace;
    if (!pace || !block->waits)
        return !pace || block->clock <= pace->now;
    return !block->looked || pace->all_wait || may_go_on(block);
}

int vg_pace_goes_on(VgBlock *const *blocks, int count)
{
    for (int i = 0; i < count; i++)
        if (blocks[i]->living && !blocks[i]->waits && !blocks[i]->polls)
            return 1;
    return 0;
}

/* --- rounds ----------------------------------------------------------------------------------------------------------- */

void vg_pace_begin_round(VgBlock *block)
{
    VgPace *pace = block->launch->pace;
    if (!pace)
        return;
    if (block->waits)
        block->clock = most(block->clock, pace->now);
    pace->is_woken = !block->waits || is_answered(block);
    pace->longest = pace->longest_work = 0;
    pace->is_vain = pace->only_polls = 1;
    pace->looked_count = pace->polls_own = 0;
}

/* Who leaves a barrier of the cluster does so when the last one has come. */
static void leave_together(VgCluster *cluster)
{
    int64_t last = 0;
    for (int rank = 0; rank < cluster->size; rank++)
        last = most(last, cluster->blocks[rank]->clock);
    for (int rank = 0; rank < cluster->size; rank++)
        if (cluster->blocks[rank]->waits)
            cluster->blocks[rank]->clock = last;
}

void vg_pace_end_round(VgBlock *block)
{
    VgPace *pace = block->launch->pace;
    if (!pace)
        return;
    block->clock += pace->longest;
    block->waits = (uint8_t)pace->is_vain;
    block->polls = (uint8_t)pace->only_polls;
    block->woken = (uint8_t)(pace->is_vain && pace->is_woken);
    block->looked = pace->is_vain && !pace->polls_own && pace->looked_count <= VG_MOST_LOOKED ? pace->looked_count : 0;
    memcpy(block->looked_at, pace->looked, (size_t)block->looked * sizeof *pace->looked);
    pace->places[block->place].busy += pace->longest_work;
    if (block->cluster->has_left) {
        leave_together(block->cluster);
        block->waits = 0;
    }
    block->cluster->has_left = 0;
}

/* --- time slices ------------------------------------------------------------------------------------------------------ */

/* What counts accesses of a counted block, which a look in vain leaves as it was. */
static size_t sites_of(const VgLaunch *launch) { return VG_SITE_COLUMNS * (size_t)launch->site_count; }

void vg_pace_begin_slice(VgBlock *block, VgWarp *warp)
{
    VgPace *pace = block->launch->pace;
    if (!pace)
        return;
    memcpy(pace->row_before, block->counters, 2 * (size_t)block->launch->basic_blocks * sizeof *pace->row_before);
    pace->shift = pace->met = 0;
    pace->may_be_vain = block->seen[warp->index] != 0;
    pace->updated_count = pace->updates_own = 0;
    if (pace->may_be_vain && block->profile)
        memcpy(pace->sites_before, vg_site_counters, sites_of(block->launch) * sizeof *pace->sites_before);
}

static uint64_t registers_of(const VgLaunch *launch, const VgWarp *warp, uint32_t basic_block)
{
    const int32_t *first = launch->live_starts + basic_block;
    uint64_t state = 0;
    for (int32_t i = first[0]; i < first[1]; i++) {
        const int32_t *range = launch->live_ranges + 2 * i;
        state = 5 * state + vg_mixed((const uint8_t *)warp + range[0], (size_t)range[1]);
    }
    return state;
}

/* Where a warp's lanes are, and what their registers hold that they may still read. */
static uint64_t state_of(const VgBlock *block, const VgWarp *warp)
{
    uint64_t state = vg_mixed(warp->pc, sizeof warp->pc);
    uint32_t known = VG_BLOCKED;
    for (int lane = 0; lane < VG_LANES; lane++)
        if (warp->pc[lane] < VG_BLOCKED && warp->pc[lane] != known) {
            known = warp->pc[lane];
            state = 5 * state + registers_of(block->launch, warp, known & (VG_MOST_BLOCKS - 1));
        }
    return state | 1;
}

static int has_changed(const VgPace *pace, const VgBlock *block)
{
    const VgLaunch *launch = block->launch;
    for (int32_t i = 0; i < launch->basic_blocks; i++)
        if (launch->cycles[2 * i + 1] && block->counters[2 * i] != pace->row_before[2 * i])
            return 1;
    return pace->updates_own || vg_has_changed(pace->updated, pace->updated_count, VG_MOST_UPDATED);
}

static void forget(const VgPace *pace, VgBlock *block)
{
    memcpy(block->counters, pace->row_before, 2 * (size_t)block->launch->basic_blocks * sizeof *pace->row_before);
    if (block->profile)
        memcpy(vg_site_counters, pace->sites_before, sites_of(block->launch) * sizeof *pace->sites_before);
}

/* A warp that polls and comes round to where it was, and has changed nothing, only waits. */
void vg_pace_end_slice(VgBlock *block, VgWarp *warp, uint32_t result)
{
    VgPace *pace = block->launch->pace;
    if (!pace)
        return;
    int looks = result == VG_YIELDED && (warp->spun || pace->updated_count);
    int leaves_all = looks && !has_changed(pace, block);
    uint64_t state = leaves_all ? state_of(block, warp) : 0, before = block->seen[warp->index];
    block->seen[warp->index] = state;
    if (leaves_all && state == before) {
        pace->polls_own |= warp->spun == VG_POLLS_OWN;
        forget(pace, block);
        return;
    }
    int64_t cycles = vg_cycles_of_slice(block);
    vg_meet_updates(pace);
    pace->is_vain = 0;
    pace->only_polls &= leaves_all;
    pace->longest = most(pace->longest, cycles + pace->shift);
    pace->longest_work = most(pace->longest_work, cycles);
}
