/* `mma.sync`: products exact, sums in float32 (integers exact), one function for each shape and pair of types.
 * Registers come as [register][lane] arrays. Not here: 1 and 4 bits (tensor_small.c), sparse ones (tensor_sparse.c). */
#include "vectorise.h"

#include "fragment.h"
#include "rounding.h"

typedef uint32_t Register[LANES];

/* --- float32 accumulators ----------------------------------------------------------------------------------- */

#define MMA_F32(name, pairs, parts, decode_a, decode_b)                                          \
    void vg_mma_##name(VgWarp *warp, uint32_t active, float d[4][LANES], const Register *a,     \
                       const Register *b, const float c[4][LANES])                              \
    {                                                                                            \
        (void)warp, (void)active;                                                                \
        Operands operands;                                                                       \
        decode_operands(&operands, a, b, pairs, parts, decode_a, decode_b);                      \
        accumulate(d, c, &operands, (pairs) * (parts));                                          \
    }

MMA_F32(m16n8k8_f32_bf16_bf16, 1, 2, decode_bf16, decode_bf16)
MMA_F32(m16n8k16_f32_bf16_bf16, 2, 2, decode_bf16, decode_bf16)
MMA_F32(m16n8k8_f32_f16_f16, 1, 2, decode_f16, decode_f16)
MMA_F32(m16n8k16_f32_f16_f16, 2, 2, decode_f16, decode_f16)
MMA_F32(m16n8k4_f32_tf32_tf32, 1, 1, decode_tf32, decode_tf32)
MMA_F32(m16n8k8_f32_tf32_tf32, 2, 1, decode_tf32, decode_tf32)
MMA_F32(m16n8k16_f32_e4m3_e4m3, 1, 4, decode_e4m3, decode_e4m3)
MMA_F32(m16n8k16_f32_e4m3_e5m2, 1, 4, decode_e4m3, decode_e5m2)
MMA_F32(m16n8k16_f32_e5m2_e4m3, 1, 4, decode_e5m2, decode_e4m3)
MMA_F32(m16n8k16_f32_e5m2_e5m2, 1, 4, decode_e5m2, decode_e5m2)
MMA_F32(m16n8k32_f32_e4m3_e4m3, 2, 4, decode_e4m3, decode_e4m3)
MMA_F32(m16n8k32_f32_e4m3_e5m2, 2, 4, decode_e4m3, decode_e5m2)
MMA_F32(m16n8k32_f32_e5m2_e4m3, 2, 4, decode_e5m2, decode_e4m3)
MMA_F32(m16n8k32_f32_e5m2_e5m2, 2, 4, decode_e5m2, decode_e5m2)

/* --- float16 accumulators: two registers of pairs, rounded once at the end ---------------------------------- */

static void unpack_f16(float out[4][LANES], const Register *packed)
{
    for (int half = 0; half < 2; half++)
        for (int part = 0; part < 2; part++)
            decode_lanes(out[2 * half + part], packed[half], part, decode_f16);
}

static void pack_f16(Register *packed, const float values[4][LANES])
{
    for (int half = 0; half < 2; half++)
        EACH_LANE(lane) packed[half][lane] = f16_from_float(values[2 * half][lane])
                                             | f16_from_float(values[2 * half + 1][lane]) << 16;
}

#define MMA_F16(name, pairs, parts, decode_a, decode_b)                                                                \
    void vg_mma_##name(VgWarp *warp, uint32_t active, Register *d, const Register *a,       \
                       const Register *b, const Register *c)                                \
    {                                                                                       \
        (void)warp, (void)active;                                                           \
        Operands operands;                                                                  \
        float sums[4][LANES];                                                               \
        decode_operands(&operands, a, b, pairs, parts, decode_a, decode_b);                 \
        unpack_f16(sums, c);                                                                \
        accumulate(sums, sums, &operands, (parts) * (pairs));                               \
        pack_f16(d, sums);                                                                  \
    }

MMA_F16(m16n8k8_f16_f16_f16, 1, 2, decode_f16, decode_f16)
MMA_F16(m16n8k16_f16_f16_f16, 2, 2, decode_f16, decode_f16)
MMA_F16(m16n8k16_f16_e4m3_e4m3, 1, 4, decode_e4m3, decode_e4m3)
MMA_F16(m16n8k16_f16_e4m3_e5m2, 1, 4, decode_e4m3, decode_e5m2)
MMA_F16(m16n8k16_f16_e5m2_e4m3, 1, 4, decode_e5m2, decode_e4m3)
MMA_F16(m16n8k16_f16_e5m2_e5m2, 1, 4, decode_e5m2, decode_e5m2)
MMA_F16(m16n8k32_f16_e4m3_e4m3, 2, 4, decode_e4m3, decode_e4m3)
MMA_F16(m16n8k32_f16_e4m3_e5m2, 2, 4, decode_e4m3, decode_e5m2)
MMA_F16(m16n8k32_f16_e5m2_e4m3, 2, 4, decode_e5m2, decode_e4m3)
MMA_F16(m16n8k32_f16_e5m2_e5m2, 2, 4, decode_e5m2, decode_e5m2)

/* --- bytes -------------------------------------------------------------------------------------------------- */

#define MMA_S32_TO(name, pairs, decode_a, decode_b, add)                                        \
    void vg_mma_##name(VgWarp *warp, uint32_t active, int32_t d[4][LANES], const Register *a,   \
                       const Register *b, const int32_t c[4][LANES])                            \
    {                                                                                           \
        Operands operands;                                                                      \
        float sums[4][LANES] = {{0}};                                                           \
        (void)warp, (void)active;                                                               \
        decode_operands(&operands, a, b, pairs, 4, decode_a, decode_b);                         \
        accumulate(sums, sums, &operands, 4 * (pairs));                                         \
        add(d, c, sums);                                                                        \
    }

#define MMA_S32(name, pairs, decode_a, decode_b)                       \
    MMA_S32_TO(name, pairs, decode_a, decode_b, add_wrapping)          \
    MMA_S32_TO(satfinite_##name, pairs, decode_a, decode_b, add_saturating)

MMA_S32(m16n8k16_s32_s8_s8, 1, decode_s8, decode_s8)
MMA_S32(m16n8k16_s32_s8_u8, 1, decode_s8, decode_u8)
MMA_S32(m16n8k16_s32_u8_s8, 1, decode_u8, decode_s8)
MMA_S32(m16n8k16_s32_u8_u8, 1, decode_u8, decode_u8)
MMA_S32(m16n8k32_s32_s8_s8, 2, decode_s8, decode_s8)
MMA_S32(m16n8k32_s32_s8_u8, 2, decode_s8, decode_u8)
MMA_S32(m16n8k32_s32_u8_s8, 2, decode_u8, decode_s8)
MMA_S32(m16n8k32_s32_u8_u8, 2, decode_u8, decode_u8)

/* --- float64: lane 4g + t holds A[g][t], B[t][g], C[g][2t], C[g][2t + 1] of each 8x8x4 tile ----------------- */

static void add_tile_f64(double sums[2][LANES], const double a[LANES], const double b[LANES])
{
    for (int half = 0; half < 2; half++)
        for (int k = 0; k < 4; k++)
            EACH_LANE(lane) {
                int row = lane & ~3, column = 2 * (lane & 3) + half;
                sums[half][lane] = __builtin_fma(a[row + k], b[4 * column + k], sums[half][lane]);
            }
}

typedef struct {
    int halves, steps; /* tiles of rows, and along the sum */
    double (*d)[LANES];
    const double (*a)[LANES], (*b)[LANES], (*c)[LANES];
} Product;

/* Not inlined, so that nothing of it leaves the rounding mode that its caller sets. */
static __attribute__((noinline)) void multiply_f64(const Product *product)
{
    double sums[4][LANES];
    int halves = product->halves, steps = product->steps;
    memcpy(sums, product->c, (size_t)halves * 2 * sizeof *sums);
    for (int half = 0; half < halves; half++)
        for (int step = 0; step < steps; step++)
            add_tile_f64(sums + 2 * half, product->a[halves * step + half], product->b[step]);
    memcpy(product->d, sums, (size_t)halves * 2 * sizeof *sums);
}

#define MMA_F64(name, halves, steps)                                                                          \
    void vg_mma_##name(VgWarp *warp, uint32_t active, double d[][LANES], const double a[][LANES],             \
                       const double b[][LANES], const double c[][LANES], int32_t mode)                        \
    {                                                                                                         \
        (void)warp, (void)active;                                                                             \
        Product product = {halves, steps, d, a, b, c};                                                        \
        int before = begin_rounding(mode);                                                                    \
        multiply_f64(&product);                                                                               \
        fesetround(before);                                                                                   \
    }

MMA_F64(m8n8k4_f64_f64_f64, 1, 1)
MMA_F64(m16n8k4_f64_f64_f64, 2, 1)
MMA_F64(m16n8k8_f64_f64_f64, 2, 2)
MMA_F64(m16n8k16_f64_f64_f64, 2, 4)
