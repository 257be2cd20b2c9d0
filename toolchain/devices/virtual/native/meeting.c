/* When what blocks write is there for others to read: marks of the writes that are still ahead of somebody's clock. A
 * block whose turn comes first may write before another one reads, and yet later by its clock. */
#include "meeting.h"

#include "lanes.h"

#include <string.h>

enum { WAYS = 4, WORD_SHIFT = 2, NEAR_LINE_SHIFT = 7, FEW_BYTES = 16 };
#define IS_LINE (UINT64_C(1) << 63)

static uint64_t word_key(uint64_t address) { return address >> WORD_SHIFT; }
static uint64_t line_key(uint64_t address) { return address >> NEAR_LINE_SHIFT | IS_LINE; }

static VgTimeMark *set_of(const VgPace *pace, uint64_t key)
{
    return pace->marks + ((key * 0x9e3779b97f4a7c15u) >> 48) / WAYS * WAYS;
}

static int64_t find(const VgPace *pace, uint64_t key)
{
    const VgTimeMark *set = set_of(pace, key);
    for (int i = 0; i < WAYS; i++)
        if (set[i].key == key)
            return set[i].time;
    return 0;
}

/* In place of the same, or of what is past first. */
static void put(VgPace *pace, uint64_t key, int64_t time)
{
    VgTimeMark *set = set_of(pace, key), *chosen = set;
    pace->latest = time > pace->latest ? time : pace->latest;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].key == key) {
            set[i].time = time > set[i].time ? time : set[i].time;
            return;
        }
        chosen = set[i].time < chosen->time ? set + i : chosen;
    }
    *chosen = (VgTimeMark){key, time};
}

static void put_words(VgPace *pace, uint64_t address, uint32_t bytes, int64_t time)
{
    for (uint64_t word = word_key(address); word <= word_key(address + bytes - 1); word++)
        put(pace, word, time);
}

int64_t vg_cycles_of_slice(const VgBlock *block)
{
    const VgLaunch *launch = block->launch;
    const int64_t *row = block->counters, *before = launch->pace->row_before;
    int64_t sum = 0;
    for (int32_t i = 0; i < launch->basic_blocks; i++)
        sum += (row[2 * i] - before[2 * i]) * launch->cycles[2 * i];
    return sum;
}

static int64_t time_of(const VgBlock *block)
{
    return block->clock + vg_cycles_of_slice(block) + block->launch->pace->shift;
}

/* Whether other blocks may see it. */
static int is_common(const VgBlock *block, const VgSite *what)
{
    if (what->space == VG_SHARED)
        return block->cluster->size > 1;
    return what->space == VG_GLOBAL || what->space == VG_GENERIC || what->space == VG_CLUSTER;
}

static int64_t latest_of(const VgPace *pace, uint64_t address, uint32_t bytes)
{
    int64_t latest = find(pace, line_key(address));
    for (uint64_t word = word_key(address); word <= word_key(address + bytes - 1); word++) {
        int64_t time = find(pace, word);
        latest = time > latest ? time : latest;
    }
    return latest;
}

/* Where an address is among those seen, as it was when that was first; -1: there is no room for it. */
static int see(VgSeen *seen, int *count, int room, uint64_t address, uint32_t bytes)
{
    for (int i = 0; i < *count && i < room; i++)
        if (seen[i].address == address)
            return i;
    if ((*count)++ >= room)
        return -1;
    VgSeen *one = seen + *count - 1;
    *one = (VgSeen){.address = address, .bytes = bytes > 8 ? 8 : bytes};
    memcpy(&one->value, (const void *)(uintptr_t)address, one->bytes);
    return *count - 1;
}

int vg_has_changed(const VgSeen *seen, int count, int room)
{
    if (count > room)
        return 1;
    for (int i = 0; i < count; i++)
        if (memcmp(&seen[i].value, (const void *)(uintptr_t)seen[i].address, seen[i].bytes))
            return 1;
    return 0;
}

/* What a round that turns out to be in vain has looked at; 16 bytes are two places. */
static void look_at(VgPace *pace, uint64_t address, uint32_t bytes)
{
    for (uint32_t done = 0; done < bytes; done += 8)
        see(pace->looked, &pace->looked_count, VG_MOST_LOOKED, address + done, bytes - done);
}

/* Lanes wait until what they read has been written. One that polls looks again then: the look takes its time. */
static void wait_for(const VgBlock *block, int64_t written)
{
    VgPace *pace = block->launch->pace;
    if (written <= block->clock + pace->shift)
        return;
    int64_t early = written - (block->waits ? block->clock + pace->shift : time_of(block));
    pace->shift += early > 0 ? early : 0;
}

void vg_meet_updates(VgPace *pace)
{
    for (int i = 0; i < pace->updated_count && i < VG_MOST_UPDATED; i++)
        put_words(pace, pace->updated[i].address, pace->updated[i].bytes, pace->updated_at[i]);
}

static void put_lines(VgPace *pace, uint64_t address, uint32_t span, int64_t time)
{
    for (uint64_t key = line_key(address); key <= line_key(address + span - 1); key++)
        put(pace, key, time);
}

/* Of whole warps it is not known when in the slice they accessed: they read at its begin, and write now. */
static void meet_halves(const VgBlock *block, const VgPending *access)
{
    VgPace *pace = block->launch->pace;
    const VgSite *what = block->launch->sites + access->site;
    if (pace->may_be_vain && what->kind != VG_STORE) {
        look_at(pace, access->low, access->span);
        look_at(pace, access->high, access->span);
    }
    if (!is_common(block, what))
        return;
    if (what->kind == VG_STORE) {
        int64_t time = time_of(block);
        put_lines(pace, access->low, access->span, time);
        put_lines(pace, access->high, access->span, time);
    } else if ((what->strong || access->span <= FEW_BYTES) && pace->latest > block->clock) {
        int64_t low = latest_of(pace, access->low, access->span), high = latest_of(pace, access->high, access->span);
        int64_t early = (low > high ? low : high) - block->clock;
        pace->shift = early > pace->shift ? early : pace->shift;
    }
}

void vg_meet_pending(const VgBlock *block)
{
    VgPace *pace = block->launch->pace;
    for (; block->first_pending + pace->met < block->pending; pace->met++)
        meet_halves(block, block->first_pending + pace->met);
}

void vg_meet_lanes(const VgWarp *warp, uint32_t mask, const uint64_t *addresses, int32_t number)
{
    const VgBlock *block = warp->block;
    const VgSite *what = block->launch->sites + number;
    VgPace *pace = block->launch->pace;
    vg_meet_pending(block);
    EACH_ACTIVE(lane, pace->may_be_vain && what->kind != VG_STORE ? mask : 0)
        look_at(pace, addresses[lane], what->bytes);
    if (!is_common(block, what)) {
        pace->updates_own |= what->kind == VG_ATOMIC;
        return;
    }
    int writes = what->kind == VG_STORE || what->kind == VG_ATOMIC;
    int64_t latest = 0;
    EACH_ACTIVE(lane, what->kind != VG_STORE && pace->latest > block->clock ? mask : 0) {
        int64_t time = latest_of(pace, addresses[lane], what->bytes);
        latest = time > latest ? time : latest;
    }
    wait_for(block, latest);
    if (!writes)
        return;
    int64_t time = time_of(block);
    EACH_ACTIVE(lane, mask) {
        int known = -1;
        if (what->kind == VG_ATOMIC)
            known = see(pace->updated, &pace->updated_count, VG_MOST_UPDATED, addresses[lane], what->bytes);
        if (known < 0)
            put_words(pace, addresses[lane], what->bytes, time);
        else
            pace->updated_at[known] = time;
    }
}
