/* `wgmma.mma_async`: one warp's 16 rows of a 64 x N product whose operands lie in shared memory (or A in registers).
 * It is computed at once; a program that forgets to wait for it is not found out.
 * A descriptor (PTX ISA 9.0, "matrix descriptor") holds, in units of 16 bytes: start (bits 0-13), leading (16-29)
 * and stride byte offset (32-45); base offset (49-51) and swizzle (62-63: none, 128, 64, 32 bytes). */
#include "vectorise.h"

#include "runtime.h"
#include "sparse.h"

typedef uint32_t Register[LANES];

enum { UNIT = 16, TILE = 8, WARPS_OF_GROUP = 4, MAX_COLUMNS = 256 };
/* What one product takes along K; of B twice as much where A is sparse. */
enum { DEPTH_BYTES = 32, SPARSE_DEPTH_BYTES = 64, MAX_UNITS = MAX_COLUMNS * SPARSE_DEPTH_BYTES / UNIT };
enum Flags { A_IN_REGISTERS = 1, TRANSPOSED_A = 2, TRANSPOSED_B = 4, NEGATED = 8, SATURATED = 16 };

/* How one operand lies in shared memory. */
typedef struct {
    const uint8_t *shared;
    uint32_t bytes; /* of the block's shared memory */
    uint32_t start, leading, stride;
    uint32_t row_bytes;     /* of a swizzled row; 0: not swizzled */
    uint32_t swizzle_mask;  /* address bits 4-6 that are changed by bits 7-9 */
    int transposed;         /* M or N runs along memory, not K */
    uint32_t element_bytes, depth_bytes;
    int32_t line, site; /* of the instruction; of what watches the operand, negative where nothing does */
} Layout;

/* What the instruction says of its operands. */
typedef struct {
    int flags;
    uint32_t element_bytes;
    int32_t line, site;
} Manner;

static Layout layout_of(const VgWarp *warp, uint64_t descriptor, int transposed, Manner manner)
{
    static const uint32_t row_bytes[] = {0, 128, 64, 32};
    uint32_t width = row_bytes[descriptor >> 62];
    return (Layout){
        .shared = warp->block->shared,
        .bytes = warp->block->shared_bytes,
        .start = (uint32_t)(descriptor & 0x3fff) * UNIT,
        .leading = (uint32_t)(descriptor >> 16 & 0x3fff) * UNIT,
        .stride = (uint32_t)(descriptor >> 32 & 0x3fff) * UNIT,
        .row_bytes = width,
        .swizzle_mask = width ? width - UNIT : 0,
        .transposed = transposed,
        .element_bytes = manner.element_bytes,
        .depth_bytes = DEPTH_BYTES,
        .line = manner.line,
        .site = manner.site,
    };
}

/* Rows of eight along K; unswizzled, 8 x 16 bytes lie together. */
static uint32_t along_k(const Layout *layout, uint32_t outer, uint32_t k)
{
    uint32_t byte = k * layout->element_bytes, row = outer % TILE, group = outer / TILE * layout->stride;
    if (layout->row_bytes)
        return group + row * layout->row_bytes + byte;
    return group + row * UNIT + byte / UNIT * layout->leading + byte % UNIT;
}

static uint32_t along_outer(const Layout *layout, uint32_t outer, uint32_t k)
{
    uint32_t byte = outer * layout->element_bytes, unit = byte / UNIT, units = layout->row_bytes / UNIT;
    if (!units)
        return unit * layout->stride + k % TILE * UNIT + k / TILE * layout->leading + byte % UNIT;
    return unit % units * UNIT + unit / units * layout->leading + k % TILE * layout->row_bytes
           + k / TILE * layout->stride + byte % UNIT;
}

/* The element's place in shared memory; `outer` counts rows of A or columns of B. */
static uint32_t place_of(const Layout *layout, uint32_t outer, uint32_t k)
{
    uint32_t offset = layout->transposed ? along_outer(layout, outer, k) : along_k(layout, outer, k);
    uint32_t place = layout->start + offset;
    return place ^ (place >> 3 & layout->swizzle_mask);
}

/* One register of a lane: `parts` elements from k on. */
static uint32_t load_packed(VgWarp *warp, const Layout *layout, uint32_t outer, uint32_t k, uint32_t parts)
{
    uint32_t packed = 0, width = 8 * layout->element_bytes;
    for (uint32_t part = 0; part < parts; part++) {
        uint32_t place = place_of(layout, outer, k + part), element = 0;
        if (place + layout->element_bytes > layout->bytes)
            vg_fault(warp, 1, VG_FAULT_OUT_OF_BOUNDS, layout->line, (int32_t)layout->element_bytes);
        memcpy(&element, layout->shared + place, layout->element_bytes);
        packed |= element << (width * part & 31);
    }
    return packed;
}

/* Register `pair` of the fragment whose rows (A) or columns (B) begin at `first`. */
static void load_register(VgWarp *warp, Register out, const Layout *layout, uint32_t first, uint32_t pair)
{
    uint32_t parts = 4 / layout->element_bytes;
    EACH_LANE(lane) {
        uint32_t outer = first + (uint32_t)lane / 4, k = (4 * pair + (uint32_t)lane % 4) * parts;
        out[lane] = load_packed(warp, layout, outer, k, parts);
    }
}

/* Watches the reading of `count` rows of A or columns of B from `first` on, whose bounds have been checked: each 16
 * bytes along K or, where those run along memory, along M or N. */
static void watch_operand(VgWarp *warp, const Layout *layout, uint32_t first, uint32_t count)
{
    uint64_t units[MAX_UNITS];
    uint32_t found = 0;
    uint32_t each = UNIT / layout->element_bytes, depth = layout->depth_bytes / layout->element_bytes;
    uint32_t outer_step = layout->transposed ? each : 1, k_step = layout->transposed ? 1 : each;
    if (layout->site < 0)
        return;
    for (uint32_t outer = first; outer < first + count; outer += outer_step)
        for (uint32_t k = 0; k < depth; k += k_step)
            units[found++] = (uint64_t)(uintptr_t)layout->shared + place_of(layout, outer, k);
    vg_watch_pieces(warp, 0, units, found, layout->site);
}

static void load_a(VgWarp *warp, Register out[4], uint64_t descriptor, Manner manner)
{
    Layout layout = layout_of(warp, descriptor, manner.flags & TRANSPOSED_A, manner);
    uint32_t first = warp->index % WARPS_OF_GROUP * ROWS;
    for (uint32_t i = 0; i < 4; i++)
        load_register(warp, out[i], &layout, first + i % 2 * TILE, i / 2);
    watch_operand(warp, &layout, first, ROWS);
}

/* What differs between types is the decoding; sums are float32, or exact where they are of bytes. */
ALWAYS_INLINE void multiply_tile(VgWarp *warp, float d[4][LANES], const Register *a, const Layout *b, uint32_t column,
                                 int parts, Decode decode_a, Decode decode_b, int flags)
{
    Operands operands;
    Register columns[2];
    for (uint32_t pair = 0; pair < 2; pair++)
        load_register(warp, columns[pair], b, column, pair);
    decode_operands(&operands, a, (const Register *)columns, 2, parts, decode_a, decode_b);
    if (flags & NEGATED)
        for (int slice = 0; slice < 2 * parts; slice++)
            for (int k = 0; k < 4; k++)
                operands.columns[slice][k] = -operands.columns[slice][k];
    accumulate(d, (const float(*)[LANES])d, &operands, 2 * parts);
}

ALWAYS_INLINE void add_tile(VgWarp *warp, int32_t d[4][LANES], const Register *a, const Layout *b, uint32_t column,
                            int parts, Decode decode_a, Decode decode_b, int flags)
{
    float sums[4][LANES] = {{0}};
    multiply_tile(warp, sums, a, b, column, parts, decode_a, decode_b, flags);
    if (flags & SATURATED)
        add_saturating(d, (const int32_t(*)[LANES])d, (const float(*)[LANES])sums);
    else
        add_wrapping(d, (const int32_t(*)[LANES])d, (const float(*)[LANES])sums);
}

/* Bits that both have, counted; a register's bits go on along K as its bytes do. */
static void count_tile(VgWarp *warp, int32_t d[4][LANES], const Register *a, const Layout *b, uint32_t column,
                       int parts, Decode decode_a, Decode decode_b, int flags)
{
    (void)parts, (void)decode_a, (void)decode_b, (void)flags;
    Register columns[2];
    for (uint32_t pair = 0; pair < 2; pair++)
        load_register(warp, columns[pair], b, column, pair);
    for (int i = 0; i < 4; i++)
        EACH_LANE(lane)
            for (int k = 0; k < 8; k++) {
                uint32_t left = a[k / 4 * 2 + i / 2][(lane & ~3) + k % 4];
                d[i][lane] += __builtin_popcount(left & columns[k / 4][4 * (lane % 4 * 2 + i % 2) + k % 4]);
            }
}

#define WGMMA_TO(name, sum, tile, parts, decode_a, decode_b)                                                       \
    void vg_wgmma_##name(VgWarp *warp, uint32_t active, sum *d, const Register *a, const uint64_t *a_descriptor,  \
                         const uint64_t *b_descriptor, int columns, int flags, int32_t line, int32_t site)        \
    {                                                                                                             \
        Register loaded[4];                                                                                       \
        int first = __builtin_ctz(active);                                                                        \
        Manner manner = {flags, 4 / (parts), line, site};                                                         \
        Layout b = layout_of(warp, b_descriptor[first], flags & TRANSPOSED_B, manner);                            \
        if (!(flags & A_IN_REGISTERS)) {                                                                          \
            load_a(warp, loaded, a_descriptor[first], manner);                                                    \
            a = (const Register *)loaded;                                                                         \
        }                                                                                                         \
        for (int column = 0; column < columns; column += TILE)                                                    \
            tile(warp, (sum(*)[LANES])(d + column / TILE * 4 * LANES), a, &b, (uint32_t)column, parts,            \
                 decode_a, decode_b, flags);                                                                      \
        watch_operand(warp, &b, 0, (uint32_t)columns);                                                            \
    }

#define WGMMA(name, parts, decode_a, decode_b) WGMMA_TO(name, float, multiply_tile, parts, decode_a, decode_b)
#define WGMMA_S32(name, decode_a, decode_b) WGMMA_TO(name, int32_t, add_tile, 4, decode_a, decode_b)

WGMMA(bf16_bf16, 2, decode_bf16, decode_bf16)
WGMMA(f16_f16, 2, decode_f16, decode_f16)
WGMMA(tf32_tf32, 1, decode_tf32, decode_tf32)
WGMMA(e4m3_e4m3, 4, decode_e4m3, decode_e4m3)
WGMMA(e4m3_e5m2, 4, decode_e4m3, decode_e5m2)
WGMMA(e5m2_e4m3, 4, decode_e5m2, decode_e4m3)
WGMMA(e5m2_e5m2, 4, decode_e5m2, decode_e5m2)
WGMMA_S32(s8_s8, decode_s8, decode_s8)
WGMMA_S32(s8_u8, decode_s8, decode_u8)
WGMMA_S32(u8_s8, decode_u8, decode_s8)
WGMMA_S32(u8_u8, decode_u8, decode_u8)
WGMMA_TO(b1_b1, int32_t, count_tile, 4, decode_u8, decode_u8)

/* `wgmma.sp`: A, wherever it is, holds half of its elements. */
void vg_wgmma_sparse(VgWarp *warp, uint32_t active, Register *d, const Register *a, const uint64_t *a_descriptor,
                     const uint64_t *b_descriptor, const Register metadata, int a_type, int b_type, int sum,
                     int depth, int selector, int columns, int flags, int32_t line, int32_t site)
{
    Register loaded[4], rows[4];
    float kept[ROWS][MAX_KEPT];
    int first = __builtin_ctz(active);
    Manner manner = {flags, SPARSE_DEPTH_BYTES / (uint32_t)depth, line, site};
    SparseManner sparse = {a_type, b_type, depth, selector, sum, line};
    Layout b = layout_of(warp, b_descriptor[first], flags & TRANSPOSED_B, manner);
    b.depth_bytes = SPARSE_DEPTH_BYTES;
    if (!(flags & A_IN_REGISTERS)) {
        load_a(warp, loaded, a_descriptor[first], manner);
        a = (const Register *)loaded;
    }
    vg_unpack_kept(kept, a, &sparse);
    for (int column = 0; column < columns; column += TILE) {
        Register *tile = d + column / TILE * 4;
        for (uint32_t pair = 0; pair < 4; pair++)
            load_register(warp, rows[pair], &b, (uint32_t)column, pair);
        vg_sparse_tile(warp, tile, (const Register *)tile, (const float(*)[MAX_KEPT])kept, (const Register *)rows,
                       metadata, &sparse, flags & NEGATED ? -1 : 1);
    }
    watch_operand(warp, &b, 0, (uint32_t)columns);
}
