/* Accesses lane by lane, and the exact bounds checks behind the compares of generated code. */
#include "runtime.h"

#include <string.h>

#include "vectors.h"

/* One lane's place: the window it must lie in. */
typedef struct {
    uint64_t low, size;
    int writable;
    const VgAllocation *allocation;
    int has_ended; /* shared memory of a block that has */
} Window;

static int inside(uint64_t address, uint64_t low, uint64_t size)
{
    return address - low < size;
}

static Window shared_window(const VgBlock *block)
{
    return (Window){(uint64_t)(uintptr_t)block->shared, block->shared_bytes, 1, NULL, !block->living};
}

/* The window of a generic address, or of the site's own space. */
static Window window_of(const VgWarp *warp, int lane, uint64_t address, int space)
{
    const VgBlock *block = warp->block;
    uint64_t shared = (uint64_t)(uintptr_t)block->shared, parameters = (uint64_t)(uintptr_t)block->parameters;
    uint64_t local = (uint64_t)(uintptr_t)warp->local + (uint64_t)lane * block->local_bytes;
    if (space == VG_SHARED || (space == VG_GENERIC && inside(address, shared, block->shared_bytes)))
        return shared_window(block);
    if (space == VG_LOCAL || (space == VG_GENERIC && inside(address, local, block->local_bytes)))
        return (Window){local, block->local_bytes, 1, NULL, 0};
    if (space == VG_GENERIC && inside(address, parameters, (uint64_t)block->parameter_bytes))
        return (Window){parameters, (uint64_t)block->parameter_bytes, 0, NULL, 0};
    const VgBlock *other = space == VG_CLUSTER ? vg_shared_before(block, address) : vg_shared_holder(block, address);
    if (other)
        return shared_window(other);
    const VgAllocation *nearest = vg_nearest(address);
    if (!nearest || address - nearest->base >= nearest->bytes)
        nearest = vg_freed(address) ? vg_freed(address) : nearest;
    if (!nearest)
        return (Window){0, 0, 0, NULL, 0};
    return (Window){nearest->base, nearest->bytes, nearest->writable, nearest, 0};
}

/* One lane's access. */
typedef struct {
    VgWarp *warp;
    int lane, site;
    uint64_t address, bytes;
} Reach;

static void refuse(const Reach *reach, int kind, const Window *window)
{
    VgWarp *warp = reach->warp;
    const VgSite *what = &warp->block->launch->sites[reach->site];
    VgFault fault = {.kind = kind, .line = what->line, .site = reach->site, .access = what->kind};
    fault.space = window->has_ended ? VG_CLUSTER : what->space;
    fault.bytes = (int32_t)(kind == VG_FAULT_MISALIGNED ? what->bytes : reach->bytes);
    fault.address = reach->address;
    fault.base = window->low;
    fault.size = window->size;
    fault.block = warp->block->index;
    fault.warp = (int32_t)warp->index;
    fault.lane = reach->lane;
    if (window->allocation)
        memcpy(fault.buffer, window->allocation->name, sizeof fault.buffer);
    vg_end_launch(warp->block->launch, &fault);
}

static int is_outside(const Reach *reach, const Window *window)
{
    uint64_t offset = reach->address - window->low;
    return offset >= window->size || window->size - offset < reach->bytes;
}

static void check_lane(const Reach *reach, Window *window)
{
    VgWarp *warp = reach->warp;
    const VgSite *what = &warp->block->launch->sites[reach->site];
    if (is_outside(reach, window))
        *window = window_of(warp, reach->lane, reach->address, what->space);
    if (is_outside(reach, window))
        refuse(reach, VG_FAULT_OUT_OF_BOUNDS, window);
    if (window->allocation && window->allocation == vg_freed(reach->address))
        refuse(reach, VG_FAULT_FREED, window);
    if (window->has_ended)
        refuse(reach, VG_FAULT_ENDED, window);
    if (what->aligned && reach->address % what->bytes)
        refuse(reach, VG_FAULT_MISALIGNED, window);
    int writes = what->kind == VG_STORE || what->kind == VG_ATOMIC;
    if (writes && !window->writable)
        refuse(reach, VG_FAULT_INPUT_WRITTEN, window);
}

void vg_check_row(VgWarp *warp, uint32_t lane, uint64_t address, uint64_t bytes, int32_t site)
{
    Window window = {0, 0, 0, NULL, 0};
    const Reach reach = {warp, (int)lane, site, address, bytes};
    check_lane(&reach, &window);
}

/* Lets the next access of this site pass by a compare. */
static void remember(VgRange *range, const Window *window, const VgSite *what)
{
    uint64_t bytes = what->bytes, step = what->aligned ? bytes : 1;
    if (!window->allocation || window->low % step || window->size < bytes)
        return;
    range->low = window->low;
    range->lane = (window->size - bytes) / step + 1;
    range->half = window->size < 16 * bytes ? 0 : (window->size - 16 * bytes) / step + 1;
}

static __attribute__((noinline)) void check_slowly(VgWarp *warp, uint32_t mask, const uint64_t *addresses,
                                                    int site)
{
    uint64_t bytes = warp->block->launch->sites[site].bytes;
    Window window = {0, 0, 0, NULL, 0};
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (!window.allocation && window.low != (uint64_t)(uintptr_t)warp->block->shared)
            window.size = 0; /* local memory differs from lane to lane */
        const Reach reach = {warp, lane, site, addresses[lane], bytes};
        check_lane(&reach, &window);
    }
    if (mask)
        remember(&warp->block->ranges[site], &window, &warp->block->launch->sites[site]);
}

static inline int all_inside(const uint64_t *addresses, uint32_t mask, uint64_t low, uint64_t step,
                             uint64_t limit, unsigned shift)
{
    VgPart outside = {0};
    for (int part = 0; part < VG_PARTS; part++) {
        VgPart offset = vg_part(addresses, part) - low;
        if (step)
            offset -= vg_numbers(part) * step;
        VgPart place = shift ? (offset >> shift) | (offset << (64 - shift)) : offset;
        outside |= (VgPart)(place >= vg_all(limit)) & vg_active(mask, part);
    }
    return !vg_any(outside);
}

static inline void check(VgWarp *warp, uint32_t mask, const uint64_t *addresses, int site, unsigned bytes,
                         unsigned shift)
{
    const VgBlock *block = warp->block;
    const VgRange *range = &block->ranges[site];
    uint64_t low = range->low, limit = range->lane, step = 0;
    int space = block->launch->sites[site].space;
    if (space == VG_SHARED || space == VG_LOCAL) {
        uint64_t size = space == VG_SHARED ? block->shared_bytes : block->local_bytes;
        low = (uint64_t)(uintptr_t)(space == VG_SHARED ? block->shared : warp->local);
        step = space == VG_LOCAL ? block->local_bytes : 0;
        limit = size < bytes ? 0 : ((size - bytes) >> shift) + 1;
    }
    if (!all_inside(addresses, mask, low, step, limit, shift))
        check_slowly(warp, mask, addresses, site);
}

/* For accesses that generated code or a C helper makes itself. */
void vg_check(VgWarp *warp, uint32_t mask, const uint64_t *addresses, int32_t site)
{
    const VgSite *what = &warp->block->launch->sites[site];
    check(warp, mask, addresses, site, what->bytes, what->aligned ? (unsigned)__builtin_ctz(what->bytes) : 0);
}

#define EACH(lane, mask) \
    for (uint32_t left = mask, lane; left && (lane = (uint32_t)__builtin_ctz(left), 1); left &= left - 1)

/* Where lane 0 would be if the active lanes access neighbouring elements in order; 0 if they do not. */
static inline uint64_t row_start(uint32_t mask, const uint64_t *addresses, uint64_t bytes)
{
    if (!mask)
        return 0;
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t start = addresses[first] - first * bytes;
    VgPart astray = {0};
    for (int part = 0; part < VG_PARTS; part++) {
        VgPart in_row = vg_numbers(part) * bytes + start;
        astray |= (VgPart)(vg_part(addresses, part) != in_row) & vg_active(mask, part);
    }
    return vg_any(astray) ? 0 : start;
}

#if defined(__AVX512F__)

/* Hardware gathers of four and eight bytes. */
static inline void gather_4(uint32_t mask, uint32_t *out, const uint64_t *addresses)
{
    for (int part = 0; part < 4; part++) {
        __m512i places = _mm512_load_si512(addresses + 8 * part);
        __m256i before = _mm256_load_si256((const __m256i *)(out + 8 * part));
        __m256i found = _mm512_mask_i64gather_epi32(before, (__mmask8)(mask >> 8 * part), places, NULL, 1);
        _mm256_store_si256((__m256i *)(out + 8 * part), found);
    }
}

static inline void gather_8(uint32_t mask, uint64_t *out, const uint64_t *addresses)
{
    for (int part = 0; part < 4; part++) {
        __m512i places = _mm512_load_si512(addresses + 8 * part), before = _mm512_load_si512(out + 8 * part);
        __mmask8 lanes = (__mmask8)(mask >> 8 * part);
        _mm512_store_si512(out + 8 * part, _mm512_mask_i64gather_epi64(before, lanes, places, NULL, 1));
    }
}
#else
static inline void gather_4(uint32_t mask, uint32_t *out, const uint64_t *addresses)
{
    EACH(lane, mask)
        out[lane] = *(const uint32_t *)(uintptr_t)addresses[lane];
}

static inline void gather_8(uint32_t mask, uint64_t *out, const uint64_t *addresses)
{
    EACH(lane, mask)
        out[lane] = *(const uint64_t *)(uintptr_t)addresses[lane];
}
#endif

static inline void gather_1(uint32_t mask, uint8_t *out, const uint64_t *addresses)
{
    EACH(lane, mask)
        out[lane] = *(const uint8_t *)(uintptr_t)addresses[lane];
}

static inline void gather_2(uint32_t mask, uint16_t *out, const uint64_t *addresses)
{
    EACH(lane, mask)
        out[lane] = *(const uint16_t *)(uintptr_t)addresses[lane];
}

/* vg_load_4x1 and vg_store_4x1: one 4-byte element a lane. */
#define SINGLE(TYPE, BYTES) \
    void vg_load_##BYTES##x1(VgWarp *warp, uint32_t mask, TYPE *out, const uint64_t *addresses, \
                             int32_t site) \
    { \
        if (site >= 0) \
            check(warp, mask, addresses, site, BYTES, __builtin_ctz(BYTES)); \
        const TYPE *row = (const TYPE *)(uintptr_t)row_start(mask, addresses, BYTES); \
        if (!row) { \
            gather_##BYTES(mask, out, addresses); \
            return; \
        } \
        for (int lane = 0; lane < VG_LANES; lane++) \
            if (mask >> lane & 1) \
                out[lane] = row[lane]; \
    } \
    void vg_store_##BYTES##x1(VgWarp *warp, uint32_t mask, const TYPE *in, const uint64_t *addresses, \
                              int32_t site) \
    { \
        if (site >= 0) \
            check(warp, mask, addresses, site, BYTES, __builtin_ctz(BYTES)); \
        TYPE *row = (TYPE *)(uintptr_t)row_start(mask, addresses, BYTES); \
        if (row) { \
            for (int lane = 0; lane < VG_LANES; lane++) \
                if (mask >> lane & 1) \
                    row[lane] = in[lane]; \
            return; \
        } \
        EACH(lane, mask) \
            *(TYPE *)(uintptr_t)addresses[lane] = in[lane]; \
    }

/* vg_load_4x2 loads two 4-byte elements a lane: out[0..31] the first of each lane, out[32..63] the second. */
#define SEVERAL(TYPE, BYTES, COUNT) \
    void vg_load_##BYTES##x##COUNT(VgWarp *warp, uint32_t mask, TYPE *out, const uint64_t *addresses, \
                                   int32_t site) \
    { \
        if (site >= 0) \
            check(warp, mask, addresses, site, BYTES * COUNT, __builtin_ctz(BYTES * COUNT)); \
        EACH(lane, mask) \
        { \
            const TYPE *from = (const TYPE *)(uintptr_t)addresses[lane]; \
            for (int i = 0; i < COUNT; i++) \
                out[VG_LANES * i + lane] = from[i]; \
        } \
    } \
    void vg_store_##BYTES##x##COUNT(VgWarp *warp, uint32_t mask, const TYPE *in, const uint64_t *addresses, \
                                    int32_t site) \
    { \
        if (site >= 0) \
            check(warp, mask, addresses, site, BYTES * COUNT, __builtin_ctz(BYTES * COUNT)); \
        EACH(lane, mask) \
        { \
            TYPE *to = (TYPE *)(uintptr_t)addresses[lane]; \
            for (int i = 0; i < COUNT; i++) \
                to[i] = in[VG_LANES * i + lane]; \
        } \
    }

#define ACCESSES(TYPE, BYTES) \
    SINGLE(TYPE, BYTES) SEVERAL(TYPE, BYTES, 2) SEVERAL(TYPE, BYTES, 4) SEVERAL(TYPE, BYTES, 8)

ACCESSES(uint8_t, 1)
ACCESSES(uint16_t, 2)
ACCESSES(uint32_t, 4)
ACCESSES(uint64_t, 8)
