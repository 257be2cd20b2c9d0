/* What a sampled block's bulk copies cost: they go past L1, and count like requests of whole warps. */
#include "bulk.h"
#include "profile.h"

#define BANK_BYTES 128

static int64_t pieces(uint64_t bytes, uint64_t piece) { return (int64_t)((bytes + piece - 1) / piece); }

static void touch_row(const VgBlock *block, uint64_t first, uint64_t last)
{
    VgStretch *stretch = NULL;
    for (uint64_t sector = first; sector <= last; sector++) {
        uint64_t line = sector / LINE_SECTORS;
        if (!stretch || line - stretch->first >= stretch->lines)
            stretch = vg_find_stretch(block, line << LINE_SHIFT);
        vg_touch(stretch, line - stretch->first, 1u << sector % LINE_SECTORS);
    }
}

void vg_row_count(VgWarp *warp, uint64_t address, uint64_t bytes, int32_t site)
{
    const VgLaunch *launch = warp->block->launch;
    if (!warp->block->profile || !bytes)
        return;
    int64_t *counters = vg_counters_of(launch, site);
    uint64_t lane_bytes = launch->sites[site].bytes;
    counters[VG_SITE_REQUESTS] += pieces(bytes, lane_bytes * VG_LANES);
    counters[VG_SITE_LANES] += pieces(bytes, lane_bytes);
    if (launch->sites[site].space != VG_GLOBAL) {
        counters[VG_SITE_SECTORS] += pieces(bytes, BANK_BYTES);
        return;
    }
    uint64_t first = address >> SECTOR_SHIFT, last = (address + bytes - 1) >> SECTOR_SHIFT;
    counters[VG_SITE_SECTORS] += (int64_t)(last - first + 1);
    counters[VG_SITE_MISSED_SECTORS] += (int64_t)(last - first + 1);
    touch_row(warp->block, first, last);
}
