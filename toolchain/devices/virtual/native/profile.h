/* A request's way into the counters: from lines of sectors to misses and footprints. */
#ifndef VG_PROFILE_H
#define VG_PROFILE_H

#include "runtime.h"

#define SECTOR_SHIFT 5
#define LINE_SECTORS 4

enum { REQUESTS, LANES, SECTORS, MISSED_SECTORS, LINES };

/* One warp-wide access being counted. */
typedef struct {
    VgProfile *profile;
    int64_t *counters;
    int kind, keeps_footprint;
} VgRequest;

/* Counts the touched sectors of one line; bit 0 of `sectors` is its first. */
void vg_access_line(const VgRequest *request, uint64_t line, unsigned sectors);

#endif
