/* Thirty-two lanes' addresses as four vectors of eight, for any compiler that knows vector extensions. */
#ifndef VG_VECTORS_H
#define VG_VECTORS_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#define VG_PARTS 4
#define VG_PART_LANES 8

typedef uint64_t VgPart __attribute__((vector_size(64)));

static inline VgPart vg_all(uint64_t value)
{
    return (VgPart){0} + value;
}

/* `lanes` must be aligned to 64 bytes. */
static inline VgPart vg_part(const uint64_t *lanes, int part)
{
    return *(const VgPart *)(lanes + VG_PART_LANES * part);
}

/* All ones in the lanes of `mask`. */
static inline VgPart vg_active(uint32_t mask, int part)
{
    const VgPart bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return (VgPart)((vg_all(mask >> VG_PART_LANES * part) & bit) != 0);
}

/* 0, 1, 2 … 31. */
static inline VgPart vg_numbers(int part)
{
    const VgPart first = {0, 1, 2, 3, 4, 5, 6, 7};
    return first + (uint64_t)(VG_PART_LANES * part);
}

static inline VgPart vg_choose(VgPart condition, VgPart yes, VgPart no)
{
    return (condition & yes) | (~condition & no);
}

static inline VgPart vg_lesser(VgPart a, VgPart b)
{
#if defined(__AVX512F__)
    return (VgPart)_mm512_min_epu64((__m512i)a, (__m512i)b);
#else
    return vg_choose((VgPart)(a < b), a, b);
#endif
}

static inline VgPart vg_greater(VgPart a, VgPart b)
{
#if defined(__AVX512F__)
    return (VgPart)_mm512_max_epu64((__m512i)a, (__m512i)b);
#else
    return vg_choose((VgPart)(a < b), b, a);
#endif
}

static inline int vg_any(VgPart value)
{
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)value, (__m512i)value) != 0;
#else
    uint64_t all = 0;
    for (int i = 0; i < VG_PART_LANES; i++)
        all |= value[i];
    return all != 0;
#endif
}

/* Which lanes are not zero, as bits. */
static inline unsigned vg_set_lanes(VgPart value)
{
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)value, (__m512i)value);
#else
    unsigned set = 0;
    for (int i = 0; i < VG_PART_LANES; i++)
        set |= (unsigned)(value[i] != 0) << i;
    return set;
#endif
}

static inline uint64_t vg_or(VgPart value)
{
#if defined(__AVX512F__)
    return (uint64_t)_mm512_reduce_or_epi64((__m512i)value);
#else
    uint64_t all = 0;
    for (int i = 0; i < VG_PART_LANES; i++)
        all |= value[i];
    return all;
#endif
}

static inline uint64_t vg_least(VgPart value)
{
#if defined(__AVX512F__)
    return (uint64_t)_mm512_reduce_min_epu64((__m512i)value);
#else
    uint64_t least = value[0];
    for (int i = 1; i < VG_PART_LANES; i++)
        least = value[i] < least ? value[i] : least;
    return least;
#endif
}

static inline uint64_t vg_most(VgPart value)
{
#if defined(__AVX512F__)
    return (uint64_t)_mm512_reduce_max_epu64((__m512i)value);
#else
    uint64_t most = value[0];
    for (int i = 1; i < VG_PART_LANES; i++)
        most = value[i] > most ? value[i] : most;
    return most;
#endif
}

#endif
