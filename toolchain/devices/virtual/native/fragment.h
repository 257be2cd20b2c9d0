/* One warp-wide matrix product, D = A B + C, on the register fragments of PTX `mma.m16n8k*`.
 *
 * Lane 4g + t holds, in registers 2j and 2j + 1, elements of rows g and g + 8 of A, and in register j elements of
 * column g of B at the same k; C and D are rows g (registers 0, 1) and g + 8 (2, 3), columns 2t and 2t + 1.
 * A "slice" is what one part of a packed register contributes: four values of k, one for each t. */
#ifndef VGPU_FRAGMENT_H
#define VGPU_FRAGMENT_H

#include "narrow.h"

typedef float Row __attribute__((vector_size(32)));    /* one row of D: columns 0 2 4 6 1 3 5 7 */
typedef int32_t RowIndex __attribute__((vector_size(32)));
typedef float Quad __attribute__((vector_size(16)));

enum { ROWS = 16, MAX_SLICES = 8, ROWS_AT_ONCE = 8 };

typedef struct {
    float top[MAX_SLICES][LANES], bottom[MAX_SLICES][LANES]; /* A, rows 0-7 and 8-15 */
    Row columns[MAX_SLICES][4];                              /* B, one row for each k */
} Operands;

#if defined(__clang__) || __GNUC__ >= 12
#define PICK(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#define JOIN(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7)
#else
#define PICK(x, y, ...) __builtin_shuffle(x, y, (RowIndex){__VA_ARGS__})
#define JOIN(x, y) ((Row){x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3]})
#endif

/* The four k of a slice as rows of B: a 4x4 transposition within each half of the vectors. */
ALWAYS_INLINE void transpose_columns(Row out[4], const float lanes[LANES])
{
    Row n01, n23, n45, n67;
    memcpy(&n01, lanes, 32), memcpy(&n23, lanes + 8, 32), memcpy(&n45, lanes + 16, 32), memcpy(&n67, lanes + 24, 32);
    Row low_a = PICK(n01, n23, 0, 8, 1, 9, 4, 12, 5, 13), high_a = PICK(n01, n23, 2, 10, 3, 11, 6, 14, 7, 15);
    Row low_b = PICK(n45, n67, 0, 8, 1, 9, 4, 12, 5, 13), high_b = PICK(n45, n67, 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = PICK(low_a, low_b, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = PICK(low_a, low_b, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = PICK(high_a, high_b, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = PICK(high_a, high_b, 2, 3, 10, 11, 6, 7, 14, 15);
}

ALWAYS_INLINE Row load_row(const float even[4], const float odd[4])
{
    Quad low, high;
    memcpy(&low, even, sizeof low);
    memcpy(&high, odd, sizeof high);
    return JOIN(low, high);
}

ALWAYS_INLINE void store_row(float even[4], float odd[4], Row row)
{
    memcpy(even, &row, 16);
    memcpy(odd, (const char *)&row + 16, 16);
}

/* Eight rows of the accumulators (two registers) stay in vector registers while all slices pass. */
ALWAYS_INLINE void accumulate_rows(float d[2][LANES], const float c[2][LANES], const float rows[][LANES],
                                   const Row columns[][4], int slices)
{
    Row sums[ROWS_AT_ONCE];
    for (int row = 0; row < ROWS_AT_ONCE; row++)
        sums[row] = load_row(c[0] + 4 * row, c[1] + 4 * row);
    for (int slice = 0; slice < slices; slice++)
        for (int k = 0; k < 4; k++)
            for (int row = 0; row < ROWS_AT_ONCE; row++)
                sums[row] += rows[slice][4 * row + k] * columns[slice][k];
    for (int row = 0; row < ROWS_AT_ONCE; row++)
        store_row(d[0] + 4 * row, d[1] + 4 * row, sums[row]);
}

ALWAYS_INLINE void accumulate(float d[4][LANES], const float c[4][LANES], const Operands *operands, int slices)
{
    accumulate_rows(d, c, operands->top, operands->columns, slices);
    accumulate_rows(d + 2, c + 2, operands->bottom, operands->columns, slices);
}

/* --- what a packed register holds: part 0 is the lowest bits ------------------------------------------------ */

typedef float (*Decode)(uint32_t packed, int part);

ALWAYS_INLINE float decode_bf16(uint32_t packed, int part)
{
    return float_of(part ? packed & 0xffff0000 : packed << 16);
}

ALWAYS_INLINE float decode_f16(uint32_t packed, int part) { return float_from_f16(packed >> 16 * part & 0xffff); }
ALWAYS_INLINE float decode_tf32(uint32_t packed, int part) { (void)part; return float_from_tf32(packed); }
ALWAYS_INLINE float decode_s8(uint32_t packed, int part) { return (float)(int8_t)(packed >> 8 * part); }
ALWAYS_INLINE float decode_u8(uint32_t packed, int part) { return (float)(uint8_t)(packed >> 8 * part); }
ALWAYS_INLINE float decode_s4(uint32_t packed, int part) { return (float)((int32_t)(packed << (28 - 4 * part)) >> 28); }
ALWAYS_INLINE float decode_u4(uint32_t packed, int part) { return (float)(packed >> 4 * part & 0xf); }
ALWAYS_INLINE float decode_e4m3(uint32_t packed, int part) { return float_from_e4m3(packed >> 8 * part & 0xff); }
ALWAYS_INLINE float decode_e5m2(uint32_t packed, int part) { return float_from_e5m2(packed >> 8 * part & 0xff); }

ALWAYS_INLINE void decode_lanes(float out[LANES], const uint32_t packed[LANES], int part, Decode decode)
{
    EACH_LANE(lane) out[lane] = decode(packed[lane], part);
}

/* `a` holds 2 * pairs registers, `b` holds `pairs`; each register holds `parts` elements. */
ALWAYS_INLINE void decode_operands(Operands *out, const uint32_t (*a)[LANES], const uint32_t (*b)[LANES],
                                   int pairs, int parts, Decode decode_a, Decode decode_b)
{
    float column[LANES];
    for (int pair = 0; pair < pairs; pair++)
        for (int part = 0; part < parts; part++) {
            int slice = pair * parts + part;
            decode_lanes(out->top[slice], a[2 * pair], part, decode_a);
            decode_lanes(out->bottom[slice], a[2 * pair + 1], part, decode_a);
            decode_lanes(column, b[pair], part, decode_b);
            transpose_columns(out->columns[slice], column);
        }
}

/* --- sums of bytes: a product sums to less than 2^24, so float32 holds it exactly ---------------------------- */

ALWAYS_INLINE void add_wrapping(int32_t d[4][LANES], const int32_t c[4][LANES], const float sums[4][LANES])
{
    for (int reg = 0; reg < 4; reg++)
        EACH_LANE(lane) d[reg][lane] = (int32_t)((uint32_t)c[reg][lane] + (uint32_t)(int32_t)sums[reg][lane]);
}

ALWAYS_INLINE void add_saturating(int32_t d[4][LANES], const int32_t c[4][LANES], const float sums[4][LANES])
{
    for (int reg = 0; reg < 4; reg++)
        EACH_LANE(lane) {
            int64_t exact = (int64_t)c[reg][lane] + (int32_t)sums[reg][lane];
            d[reg][lane] = (int32_t)(exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact);
        }
}

#endif
