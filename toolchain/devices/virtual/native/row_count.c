/* What a sampled block's bulk copies cost: they go past L1, and count like requests of whole warps. */
#include "bulk.h"
#include "profile.h"

#define BANK_BYTES 128

static int64_t pieces(uint64_t bytes, uint64_t piece) { return (int64_t)((bytes + piece - 1) / piece); }

void vg_row_count(VgWarp *warp, uint64_t address, uint64_t bytes, int32_t site)
{
    const VgLaunch *launch = warp->block->launch;
    VgProfile *profile = warp->block->profile;
    if (!profile || !bytes)
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
    for (uint64_t sector = first; sector <= last; sector++)
        vg_touch(profile, sector / LINE_SECTORS, 1u << sector % LINE_SECTORS);
}
