/* `mma.sp`, and a tile of `wgmma.sp`: A holds half of its elements, and metadata says which (PTX ISA 9.0, "Sparse
 * matrix storage").
 * What is left out is not multiplied, so an infinity of B that meets nothing leaves no NaN. Products are exact and
 * sums float32 (integers exact), as in tensor.c. */
#include "vectorise.h"

#include "bulk.h"
#include "sparse.h"

typedef uint32_t Register[LANES];

enum { CHUNK_BITS = 4 };
enum { TF32_FIRST = 0x4, TF32_SECOND = 0xe }; /* the two values that metadata of TF32 may have */

static const Decode decoders[] = {
    decode_bf16, decode_f16, decode_tf32, decode_s8, decode_u8, decode_e4m3, decode_e5m2, decode_s4, decode_u4,
};
static const uint8_t parts_of_type[] = {2, 2, 1, 4, 4, 4, 4, 8, 8};

/* Element `part` of register `number` of `lane`: where along K it stands, in A as it is stored and in B. */
static uint32_t place_along_k(int number, int lane, int part, int parts)
{
    return (uint32_t)((4 * number + lane % 4) * parts + part);
}

void vg_unpack_kept(float kept[ROWS][MAX_KEPT], const Register *a, const SparseManner *manner)
{
    int parts = parts_of_type[manner->a], registers = manner->depth / (4 * parts);
    Decode decode = decoders[manner->a];
    for (int number = 0; number < registers; number++)
        for (int part = 0; part < parts; part++)
            EACH_LANE(lane) kept[lane / 4 + number % 2 * 8][place_along_k(number / 2, lane, part, parts)] =
                decode(a[number][lane], part);
}

static void unpack_b(float rows[MAX_DEPTH][SPARSE_COLUMNS], const Register *b, const SparseManner *manner)
{
    int parts = parts_of_type[manner->a], registers = manner->depth / (4 * parts);
    Decode decode = decoders[manner->b];
    for (int number = 0; number < registers; number++)
        for (int part = 0; part < parts; part++)
            EACH_LANE(lane) rows[place_along_k(number, lane, part, parts)][lane / 4] = decode(b[number][lane], part);
}

/* The four bits about one chunk of a row: of two elements of TF32, four of which two are kept, or eight of four bits of
 * which two pairs are kept. Metadata of bytes and of those fills a lane's register with one row, other metadata with the
 * rows g and g + 8. */
static uint32_t chunk_of(const Register metadata, const SparseManner *manner, int row, int chunk)
{
    int group = row % 8 * 4, lower = row / 8;
    if (parts_of_type[manner->a] >= 4) {
        int lane = group + 2 * manner->selector + chunk / 8 * 2 + lower;
        return metadata[lane] >> chunk % 8 * CHUNK_BITS & 0xf;
    }
    int lanes = manner->depth / (8 * parts_of_type[manner->a]); /* of four that bring metadata */
    int lane = group + manner->selector * lanes + chunk / 4;
    return metadata[lane] >> (16 * lower + chunk % 4 * CHUNK_BITS) & 0xf;
}

/* Where along K the element stands that is stored as number `kept` of a row. */
static uint32_t place_of(VgWarp *warp, const Register metadata, const SparseManner *manner, int row, int kept)
{
    if (parts_of_type[manner->a] == 8) {
        uint32_t pair = chunk_of(metadata, manner, row, kept / 4) >> kept / 2 % 2 * 2 & 3;
        return (uint32_t)(kept / 4 * 8) + 2 * pair + (uint32_t)kept % 2;
    }
    if (parts_of_type[manner->a] != 1)
        return (uint32_t)(kept / 2 * 4) + (chunk_of(metadata, manner, row, kept / 2) >> kept % 2 * 2 & 3);
    uint32_t bits = chunk_of(metadata, manner, row, kept);
    if (bits != TF32_FIRST && bits != TF32_SECOND)
        vg_fault(warp, 1u << row % 8 * 4, VG_FAULT_ILLEGAL, manner->line, VG_BAD_METADATA);
    return (uint32_t)(2 * kept) + (bits == TF32_SECOND);
}

static void read_sums(float sums[ROWS][SPARSE_COLUMNS], const Register *c, int kind)
{
    EACH_LANE(lane)
        for (int i = 0; i < 4; i++) {
            int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            uint32_t half = c[i / 2][lane] >> 16 * (i % 2) & 0xffff;
            sums[row][column] = kind == SUM_F16 ? float_from_f16(half) : kind == SUM_F32 ? float_of(c[i][lane]) : 0;
        }
}

static uint32_t integer_sum(uint32_t before, float sum, int saturates)
{
    int64_t exact = (int64_t)(int32_t)before + (int32_t)sum;
    if (saturates)
        exact = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact;
    return (uint32_t)exact;
}

static void write_sums(Register *d, const Register *c, const float sums[ROWS][SPARSE_COLUMNS], int kind)
{
    EACH_LANE(lane)
        for (int half = 0; half < 2; half++) {
            const float *pair = sums[lane / 4 + half * 8] + lane % 4 * 2;
            if (kind == SUM_F16)
                d[half][lane] = f16_from_float(pair[0]) | f16_from_float(pair[1]) << 16;
            for (int i = 0; kind != SUM_F16 && i < 2; i++)
                d[2 * half + i][lane] = kind == SUM_F32 ? bits_of(pair[i])
                    : integer_sum(c[2 * half + i][lane], pair[i], kind == SUM_S32_SATURATED);
        }
}

void vg_sparse_tile(VgWarp *warp, Register *d, const Register *c, const float kept[ROWS][MAX_KEPT], const Register *b,
                    const Register metadata, const SparseManner *manner, float sign)
{
    float rows[MAX_DEPTH][SPARSE_COLUMNS], sums[ROWS][SPARSE_COLUMNS];
    unpack_b(rows, b, manner);
    read_sums(sums, c, manner->sum);
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < manner->depth / 2; i++) {
            uint32_t k = place_of(warp, metadata, manner, row, i);
            for (int column = 0; column < SPARSE_COLUMNS; column++)
                sums[row][column] += sign * kept[row][i] * rows[k][column];
        }
    write_sums(d, c, (const float(*)[SPARSE_COLUMNS])sums, manner->sum);
}

void vg_mma_sparse(VgWarp *warp, uint32_t active, Register *d, const Register *a, const Register *b, const Register *c,
                   const Register metadata, int32_t a_type, int32_t b_type, int32_t sum, int32_t depth,
                   int32_t selector, int32_t line)
{
    (void)active;
    SparseManner manner = {a_type, b_type, depth, selector, sum, line};
    float kept[ROWS][MAX_KEPT];
    vg_unpack_kept(kept, a, &manner);
    vg_sparse_tile(warp, d, c, (const float(*)[MAX_KEPT])kept, b, metadata, &manner, 1);
}
