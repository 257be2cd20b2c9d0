/* `mma.sync` of integers of 1, 4 and 8 bits in any shape, and the f16 products of quad pairs (m8n8k4).
 * Lane 4g + t holds, in register `halves` s + h, elements of row g + 8h of A, and in register s elements of column
 * g of B: in both those of k = (4s + t) parts and following. Results: rows g and g + 8, columns 2t and 2t + 1. */
#include "narrow.h"

typedef uint32_t Register[LANES];

enum { A_IS_SIGNED = 1, B_IS_SIGNED = 2 };

typedef struct {
    const Register *a, *b;
    int halves, steps;
} Fragments;

/* The registers of A and B that meet in row `row` and column `column`, one pair for each s and t. */
#define EACH_PAIR(fragments, row, column, x, y)                                                               \
    for (int s = 0; s < (fragments).steps; s++)                                                               \
        for (int t = 0; t < 4; t++)                                                                           \
            for (uint32_t once = 1, x = (fragments).a[(fragments).halves * s + (row) / 8][4 * ((row) % 8) + t], \
                          y = (fragments).b[s][4 * (column) + t]; once; once = 0)

static int32_t element(uint32_t packed, int index, int bits, int is_signed)
{
    uint32_t raised = packed << (32 - bits * (index + 1));
    return is_signed ? (int32_t)raised >> (32 - bits) : (int32_t)(raised >> (32 - bits));
}

static int32_t dot(uint32_t x, uint32_t y, int bits, int signs)
{
    int32_t sum = 0;
    for (int i = 0; i < 32 / bits; i++)
        sum += element(x, i, bits, signs & A_IS_SIGNED) * element(y, i, bits, signs & B_IS_SIGNED);
    return sum;
}

void vg_mma_integers(VgWarp *warp, uint32_t active, int32_t d[][LANES], const Register *a, const Register *b,
                     const int32_t c[][LANES], int32_t halves, int32_t steps, int32_t bits, int32_t signs,
                     int32_t saturate)
{
    (void)warp, (void)active;
    Fragments fragments = {a, b, halves, steps};
    int32_t results[4][LANES];
    for (int reg = 0; reg < 2 * halves; reg++)
        EACH_LANE(lane) {
            int row = lane / 4 + 8 * (reg / 2), column = 2 * (lane % 4) + reg % 2;
            int64_t sum = c[reg][lane];
            EACH_PAIR(fragments, row, column, x, y) sum += dot(x, y, bits, signs);
            if (saturate)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            results[reg][lane] = (int32_t)sum;
        }
    memcpy(d, results, (size_t)halves * 2 * sizeof *results);
}

void vg_mma_bits(VgWarp *warp, uint32_t active, int32_t d[][LANES], const Register *a, const Register *b,
                 const int32_t c[][LANES], int32_t halves, int32_t steps, int32_t is_and)
{
    (void)warp, (void)active;
    Fragments fragments = {a, b, halves, steps};
    int32_t results[4][LANES];
    for (int reg = 0; reg < 2 * halves; reg++)
        EACH_LANE(lane) {
            int row = lane / 4 + 8 * (reg / 2), column = 2 * (lane % 4) + reg % 2;
            uint32_t sum = (uint32_t)c[reg][lane];
            EACH_PAIR(fragments, row, column, x, y) sum += (uint32_t)__builtin_popcount(is_and ? x & y : x ^ y);
            results[reg][lane] = (int32_t)sum;
        }
    memcpy(d, results, (size_t)halves * 2 * sizeof *results);
}

/* --- m8n8k4 of f16: lanes 4p to 4p + 3 and 4p + 16 to 4p + 19 multiply an 8x4 and a 4x8 matrix of their own ------ */

enum { A_BY_COLUMNS = 1, B_BY_COLUMNS = 2, C_IS_F32 = 4, D_IS_F32 = 8 };

static int pair_lane(int pair, int index) { return 4 * pair + index % 4 + (index >= 4 ? 16 : 0); }

/* Element `i` of four f16 in two registers. */
static float half_element(const Register *registers, int lane, int i)
{
    return float_from_f16(registers[i / 2][lane] >> 16 * (i % 2) & 0xffff);
}

static float a_element(const Register *a, int pair, int row, int k, int layout)
{
    return layout & A_BY_COLUMNS ? half_element(a, pair_lane(pair, k + (row >= 4 ? 4 : 0)), row % 4)
                                 : half_element(a, pair_lane(pair, row), k);
}

static float b_element(const Register *b, int pair, int k, int column, int layout)
{
    return layout & B_BY_COLUMNS ? half_element(b, pair_lane(pair, column), k)
                                 : half_element(b, pair_lane(pair, k + (column >= 4 ? 4 : 0)), column % 4);
}

/* Where the accumulator of row and column lies: its lane within the pair, and its number there. */
static int accumulator_lane(int is_f32, int row, int column)
{
    return is_f32 ? (row & 1) + (column & 2) + (row & 4) : row;
}

static int accumulator_number(int is_f32, int row, int column)
{
    return is_f32 ? (row & 2) + (column & 4) + (column & 1) : column;
}

static float read_accumulator(const Register *c, int lane, int number, int is_f32)
{
    return is_f32 ? float_of(c[number][lane]) : half_element(c, lane, number);
}

static void write_accumulator(Register *d, int lane, int number, int is_f32, float value)
{
    if (is_f32)
        d[number][lane] = bits_of(value);
    else if (number % 2)
        d[number / 2][lane] = (d[number / 2][lane] & 0xffff) | f16_from_float(value) << 16;
    else
        d[number / 2][lane] = (d[number / 2][lane] & 0xffff0000) | f16_from_float(value);
}

void vg_mma_quad_pairs(VgWarp *warp, uint32_t active, Register *d, const Register *a, const Register *b,
                       const Register *c, int32_t layout)
{
    (void)warp, (void)active;
    int c_is_f32 = layout & C_IS_F32, d_is_f32 = layout & D_IS_F32;
    for (int pair = 0; pair < 4; pair++)
        for (int row = 0; row < 8; row++)
            for (int column = 0; column < 8; column++) {
                int from = pair_lane(pair, accumulator_lane(c_is_f32, row, column));
                int to = pair_lane(pair, accumulator_lane(d_is_f32, row, column));
                float sum = read_accumulator(c, from, accumulator_number(c_is_f32, row, column), c_is_f32);
                for (int k = 0; k < 4; k++)
                    sum += a_element(a, pair, row, k, layout) * b_element(b, pair, k, column, layout);
                write_accumulator(d, to, accumulator_number(d_is_f32, row, column), d_is_f32, sum);
            }
}
