/* What the lanes of a warp tell each other: `shfl.sync`, `match.sync`, `redux.sync`.
 * `active` are the lanes that execute the instruction together; `members` is each lane's own membermask, so that
 * several groups of one warp can pass at once. */
#include "lanes.h"

/* A lane that reads from one that does not take part gets this NaN, so that the mistake shows. */
enum { ABSENT = 0x7fffbad0 };

enum ShuffleMode { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };

/* PTX ISA, `shfl.sync`: bits 8-12 of c select the segment, bits 0-4 clamp the source lane. */
ALWAYS_INLINE int source_lane(enum ShuffleMode mode, int lane, int b, int c, int *in_range)
{
    int segment = c >> 8 & 31, clamp = c & 31, step = b & 31;
    int first = lane & segment, bound = first | (clamp & ~segment);
    int source = mode == SHUFFLE_UP     ? lane - step
                 : mode == SHUFFLE_DOWN ? lane + step
                 : mode == SHUFFLE_BUTTERFLY ? (lane ^ step)
                                             : (first | (step & ~segment));
    *in_range = mode == SHUFFLE_UP ? source >= bound : source <= bound;
    return *in_range ? source : lane;
}

ALWAYS_INLINE void shuffle(uint32_t active, uint32_t *out, uint32_t *out_in_range, const uint32_t *values,
                           const int32_t *b, const int32_t *c, const uint32_t *members, enum ShuffleMode mode)
{
    uint32_t in_range[LANES], all = 0;
    EACH_LANE(lane) {
        int inside, source = source_lane(mode, lane, b[lane], c[lane], &inside);
        out[lane] = active & members[lane] & 1u << source ? values[source] : (uint32_t)ABSENT;
        in_range[lane] = (uint32_t)inside << lane;
    }
    EACH_LANE(lane) all |= in_range[lane];
    *out_in_range = all;
}

#define SHUFFLE(name, mode)                                                                               \
    void vg_shfl_##name(VgWarp *warp, uint32_t active, uint32_t *out, uint32_t *out_in_range,            \
                        const uint32_t *values, const int32_t *b, const int32_t *c, const uint32_t *members) \
    {                                                                                                     \
        (void)warp;                                                                                       \
        shuffle(active, out, out_in_range, values, b, c, members, mode);                                  \
    }

SHUFFLE(up, SHUFFLE_UP)
SHUFFLE(down, SHUFFLE_DOWN)
SHUFFLE(bfly, SHUFFLE_BUTTERFLY)
SHUFFLE(idx, SHUFFLE_INDEX)

/* --- match: which lanes of my group hold my value ----------------------------------------------------------- */

#define MATCH_ANY(name, type)                                                                            \
    void vg_match_any_##name(VgWarp *warp, uint32_t active, uint32_t *out, const type *values,           \
                             const uint32_t *members)                                                    \
    {                                                                                                    \
        uint32_t equal[LANES] = {0};                                                                     \
        (void)warp;                                                                                      \
        for (int other = 0; other < LANES; other++)                                                      \
            EACH_LANE(lane) equal[lane] |= (uint32_t)(values[lane] == values[other]) << other;           \
        EACH_LANE(lane) out[lane] = equal[lane] & members[lane] & active;                                \
    }

MATCH_ANY(b32, uint32_t)
MATCH_ANY(b64, uint64_t)

/* --- redux: one value a group -------------------------------------------------------------------------------- */

/* Applies `combine` over each group of lanes that share a membermask. */
#define REDUX(name, type, combine)                                                                          \
    void vg_redux_##name(VgWarp *warp, uint32_t active, type *out, const type *values,                     \
                         const uint32_t *members)                                                           \
    {                                                                                                       \
        uint32_t todo = active;                                                                             \
        (void)warp;                                                                                         \
        while (todo) {                                                                                      \
            uint32_t group = members[__builtin_ctz(todo)] & active;                                         \
            type x = values[__builtin_ctz(group ? group : todo)];                                           \
            EACH_ACTIVE(lane, group & (group - 1)) {                                                        \
                type y = values[lane];                                                                      \
                x = (combine);                                                                              \
            }                                                                                               \
            EACH_ACTIVE(lane, group) out[lane] = x;                                                         \
            todo &= ~(group | (todo & -todo));                                                              \
        }                                                                                                   \
    }

REDUX(add_u32, uint32_t, x + y)
REDUX(min_u32, uint32_t, x < y ? x : y)
REDUX(max_u32, uint32_t, x > y ? x : y)
REDUX(min_s32, int32_t, x < y ? x : y)
REDUX(max_s32, int32_t, x > y ? x : y)
REDUX(and_b32, uint32_t, x & y)
REDUX(or_b32, uint32_t, x | y)
REDUX(xor_b32, uint32_t, x ^ y)

/* A NaN loses to a number; with `.NaN` it wins. */
ALWAYS_INLINE float number_min(float x, float y) { return y != y || x < y || (x == y && bits_of(x) >> 31) ? x : y; }
ALWAYS_INLINE float number_max(float x, float y) { return y != y || x > y || (x == y && bits_of(y) >> 31) ? x : y; }
ALWAYS_INLINE float magnitude(float x) { return float_of(bits_of(x) & 0x7fffffff); }
ALWAYS_INLINE float any_nan(float x, float y, float otherwise)
{
    return x != x || y != y ? float_of(0x7fffffff) : otherwise;
}

REDUX(min_f32, float, number_min(x, y))
REDUX(max_f32, float, number_max(x, y))
REDUX(min_abs_f32, float, number_min(magnitude(x), magnitude(y)))
REDUX(max_abs_f32, float, number_max(magnitude(x), magnitude(y)))
REDUX(min_NaN_f32, float, any_nan(x, y, number_min(x, y)))
REDUX(max_NaN_f32, float, any_nan(x, y, number_max(x, y)))
REDUX(min_abs_NaN_f32, float, any_nan(x, y, number_min(magnitude(x), magnitude(y))))
REDUX(max_abs_NaN_f32, float, any_nan(x, y, number_max(magnitude(x), magnitude(y))))
