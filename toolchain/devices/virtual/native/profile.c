/* What a sampled block counts with, and what it leaves behind: the distinct sectors it touched. */
#include "profile.h"

#include <stdlib.h>

enum { AT_A_TIME = 8, CHUNK_SECTORS = CHUNK_LINES * LINE_SECTORS, FIRST_ROOM = 1 << 16, MOST_SPARE = 1 << 19 };

#if defined(__AVX512VBMI2__)
static const uint8_t NUMBERS[64] __attribute__((aligned(64))) = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
#endif

static VgMetSite *new_sites(const VgLaunch *launch)
{
    VgMetSite *sites = calloc((size_t)launch->site_count + 1, sizeof *sites);
    for (int32_t i = 0; i < launch->site_count; i++) {
        int kind = launch->sites[i].kind;
        sites[i].what = launch->sites[i];
        sites[i].counters = vg_counters_of(launch, i);
        sites[i].is_cached = kind == VG_LOAD || kind == VG_ASYNC_COPY;
    }
    return sites;
}

static VgProfile *new_profile(const VgLaunch *launch)
{
    VgProfile *profile = calloc(1, sizeof *profile);
    profile->l1.sets = vg_l1_sets(launch->l1_bytes);
    vg_l1_empty(&profile->l1);
    profile->sites = new_sites(launch);
    return profile;
}

VgProfile *vg_profile_begin(VgProfile *kept, const VgLaunch *launch, int64_t number)
{
    VgProfile *profile = kept ? kept : new_profile(launch);
    profile->number = number;
    return profile;
}

void vg_profile_free(VgProfile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; i < profile->count; i++)
        vg_free_stretch(profile->stretches[i]);
    free(profile->stretches);
    free(profile->sites);
    free(profile);
}

/* --- counters ------------------------------------------------------------------------------------------------------- */

static void add_whole(VgMetSite *site)
{
    int64_t requests = (int64_t)(site->requests_and_lines >> 32);
    site->counters[VG_SITE_REQUESTS] += requests;
    site->counters[VG_SITE_LANES] += VG_LANES * requests;
    site->counters[VG_SITE_LINES] += (int64_t)(uint32_t)site->requests_and_lines;
    site->counters[VG_SITE_SECTORS] += (int64_t)site->sectors;
    if (!site->is_cached && site->what.space != VG_SHARED)
        site->counters[VG_SITE_MISSED_SECTORS] += (int64_t)site->sectors;
    site->requests_and_lines = site->sectors = 0;
}

/* --- footprints ----------------------------------------------------------------------------------------------------- */

/* What a launch before this one had for footprints, so that its pages need not be cleared again. The number before the
 * first says how much room that is. */
static _Atomic(uint64_t *) spare;

/* Room for some more sectors after the first `end` of the launch's footprints; where that is. */
static uint64_t *room_for(VgLaunch *launch, int64_t end, int64_t count)
{
    if (!launch->footprints && (launch->footprints = atomic_exchange(&spare, NULL)))
        launch->footprints_room = (int64_t)launch->footprints[-1];
    if (end + count > launch->footprints_room) {
        uint64_t *before = launch->footprints ? launch->footprints - 1 : NULL;
        launch->footprints_room = 2 * (end + count) + FIRST_ROOM;
        launch->footprints = (uint64_t *)realloc(before, (size_t)(launch->footprints_room + 1) * sizeof *before) + 1;
        launch->footprints[-1] = (uint64_t)launch->footprints_room;
    }
    return launch->footprints + end;
}

#if defined(__AVX512VBMI2__)

/* Writes the numbers of the set bits, the lowest being `first`, and up to AT_A_TIME more. */
static inline uint64_t *put_bits(uint64_t *next, uint64_t first, uint64_t bits)
{
    uint8_t places[64] __attribute__((aligned(64)));
    int count = __builtin_popcountll(bits);
    _mm512_store_si512(places, _mm512_maskz_compress_epi8(bits, _mm512_load_si512(NUMBERS)));
    for (int done = 0; done < count; done += AT_A_TIME) {
        __m512i eight = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(places + done)));
        _mm512_storeu_si512(next + done, _mm512_add_epi64(eight, _mm512_set1_epi64((long long)first)));
    }
    return next + count;
}

#else

/* The same: how many there are of a word cannot be foreseen. */
static inline uint64_t *put_bits(uint64_t *next, uint64_t first, uint64_t bits)
{
    int count = __builtin_popcountll(bits);
    for (int done = 0; done < count; done += AT_A_TIME)
        for (int i = 0; i < AT_A_TIME; i++, bits &= bits - 1)
            next[done + i] = first + (unsigned)__builtin_ctzll(bits | UINT64_C(1) << 63);
    return next + count;
}

#endif

/* The sectors of eight lines, bit by bit. */
static inline uint32_t bits_of(const uint8_t *lines)
{
    uint64_t bytes = vg_eight(lines);
#if defined(__BMI2__)
    return (uint32_t)_pext_u64(bytes, UINT64_C(0x0f0f0f0f0f0f0f0f));
#else
    bytes = (bytes | bytes >> 4) & UINT64_C(0x00ff00ff00ff00ff);
    bytes = (bytes | bytes >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(bytes | bytes >> 16);
#endif
}

static uint64_t *put_chunk(uint64_t *next, uint64_t first, const uint8_t *touched)
{
    for (unsigned line = 0; line < CHUNK_LINES; line += 16) {
        uint64_t bits = bits_of(touched + line) | (uint64_t)bits_of(touched + line + 8) << 32;
        if (bits)
            next = put_bits(next, first + line * LINE_SECTORS, bits);
    }
    return next;
}

/* Adds what was touched of a chunk to the first `end` of the launch's footprints, and forgets it; how many there are
 * then. */
static int64_t hand_over_chunk(VgLaunch *launch, int64_t end, VgStretch *stretch, uint64_t chunk)
{
    uint8_t *touched = stretch->touched + chunk * CHUNK_LINES;
    uint64_t *next = room_for(launch, end, CHUNK_SECTORS + AT_A_TIME);
    end += put_chunk(next, (stretch->first + chunk * CHUNK_LINES) * LINE_SECTORS, touched) - next;
    memset(touched, 0, CHUNK_LINES);
    memset(stretch->held + chunk * CHUNK_LINES, 0, CHUNK_LINES);
    return end;
}

static int64_t hand_over_group(VgLaunch *launch, int64_t end, VgStretch *stretch, uint64_t group)
{
    for (uint64_t first = group * GROUP_CHUNKS; first < (group + 1) * GROUP_CHUNKS; first += 8)
        for (uint64_t marked = vg_eight(stretch->chunks + first); marked; marked &= marked - 1)
            end = hand_over_chunk(launch, end, stretch, first + (unsigned)__builtin_ctzll(marked) / 8);
    memset(stretch->chunks + group * GROUP_CHUNKS, 0, GROUP_CHUNKS);
    return end;
}

static int64_t hand_over(VgLaunch *launch, int64_t end, VgStretch *stretch)
{
    uint64_t groups = (stretch->lines / CHUNK_LINES + 1) / GROUP_CHUNKS + 1;
    for (uint64_t group = 0; group < groups; group++)
        if (stretch->groups[group]) {
            end = hand_over_group(launch, end, stretch, group);
            stretch->groups[group] = 0;
        }
    stretch->is_met = 0;
    return end;
}

/* As it was when it was new, but for the stretches, of which nothing is known any more. */
void vg_profile_end(VgProfile *profile, VgLaunch *launch, int is_whole)
{
    int64_t start = launch->footprints_end, end = start;
    for (size_t i = 0; i < profile->count; i++)
        end = hand_over(launch, end, profile->stretches[i]);
    if (is_whole) {
        launch->footprint_starts[profile->number] = start;
        launch->footprint_counts[profile->number] = end - start;
        launch->footprints_end = end;
    }
    for (int32_t i = 0; i < launch->site_count; i++)
        add_whole(&profile->sites[i]);
    vg_l1_empty(&profile->l1);
    profile->met = 0;
}

/* Lends a launch's footprints, NULL for none, until they are given back. */
uint64_t *vg_lend_footprints(VgLaunch *launch)
{
    uint64_t *lent = launch->footprints;
    launch->footprints = NULL;
    launch->footprints_end = launch->footprints_room = 0;
    return lent;
}

void vg_give_back_footprints(uint64_t *lent)
{
    if (lent && lent[-1] <= MOST_SPARE)
        lent = atomic_exchange(&spare, lent);
    if (lent)
        free(lent - 1);
}
