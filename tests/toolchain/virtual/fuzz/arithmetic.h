// What random programs compute with: every operation is defined for all operands, on the CPU as on the GPU.
#include <cstdint>

#if defined(__CUDACC__)
#define BOTH __host__ __device__
#define APART __noinline__
#else
#define BOTH
#define APART __attribute__((noinline))
#endif

typedef int8_t s8;
typedef uint8_t u8;
typedef int16_t s16;
typedef uint16_t u16;
typedef int32_t s32;
typedef uint32_t u32;
typedef int64_t s64;
typedef uint64_t u64;

#define FOR_TYPE(T, U, BITS)                                                                           \
    BOTH static inline T add_##T(T a, T b) { return (T)((U)a + (U)b); }                                \
    BOTH static inline T sub_##T(T a, T b) { return (T)((U)a - (U)b); }                                \
    BOTH static inline T mul_##T(T a, T b) { return (T)((U)a * (U)b); }                                \
    BOTH static inline T shl_##T(T a, T b) { return (T)((U)a << (b & (BITS - 1))); }                   \
    BOTH static inline T shr_##T(T a, T b) { return (T)(a >> (b & (BITS - 1))); }                      \
    BOTH static inline T div_##T(T a, T b) { return b == 0 || b == (T)-1 ? sub_##T(0, a) : (T)(a / b); } \
    BOTH static inline T mod_##T(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(a % b); }           \
    BOTH static inline T min_##T(T a, T b) { return a < b ? a : b; }                                   \
    BOTH static inline T max_##T(T a, T b) { return a > b ? a : b; }                                   \
    BOTH static inline T abs_##T(T a) { return a < 0 ? sub_##T(0, a) : a; }                            \
    BOTH static inline T rot_##T(T a, T b)                                                             \
    {                                                                                                  \
        unsigned n = b & (BITS - 1);                                                                   \
        U x = (U)a & (U)(BITS == 64 ? ~0ull : (1ull << (BITS & 63)) - 1);                              \
        return (T)(x << n | x >> ((BITS - n) & (BITS - 1)));                                           \
    }

FOR_TYPE(s8, u32, 8)
FOR_TYPE(u8, u32, 8)
FOR_TYPE(s16, u32, 16)
FOR_TYPE(u16, u32, 16)
FOR_TYPE(s32, u32, 32)
FOR_TYPE(u32, u32, 32)
FOR_TYPE(s64, u64, 64)
FOR_TYPE(u64, u64, 64)

// Of 128 bits.
typedef __int128 s128;
typedef unsigned __int128 u128;

BOTH static inline u64 wide_product(u64 a, u64 b, u64 s) { return (u64)((u128)a * b >> (s & 127)); }
BOTH static inline u64 wide_ratio(u64 a, u64 b, u64 c)
{
    u128 n = (u128)a << 64 | b;
    return c ? (u64)(n / c) : a;
}
BOTH static inline u64 wide_sum(u64 a, u64 b, s64 c)
{
    s128 n = (s128)((u128)a + b - (u128)(s128)c);
    return (u64)((u128)n >> 64) ^ (u64)(n < (s128)c);
}
BOTH static inline u64 wide_shift(u64 a, u64 b, u32 s)
{
    u128 n = (u128)a << 64 | b;
    return (u64)(n << (s & 127) >> 64) ^ (u64)((s128)n >> (s & 127));
}

#if defined(__CUDA_ARCH__)
__device__ static inline u32 ones(u64 a) { return __popcll(a); }
__device__ static inline u32 zeros(u32 a) { return __clz(a); }
__device__ static inline u32 first(u64 a) { return __ffsll(a); }
__device__ static inline u32 mirror(u32 a) { return __brev(a); }
__device__ static inline u32 upper(u32 a, u32 b) { return __umulhi(a, b); }
__device__ static inline s64 upper_signed(s64 a, s64 b) { return __mul64hi(a, b); }
__device__ static inline u32 bytes(u32 a, u32 b, u32 s) { return __byte_perm(a, b, s & 0x7777); }
__device__ static inline u32 funnel(u32 a, u32 b, u32 s) { return __funnelshift_l(a, b, s); }
#else
static inline u32 ones(u64 a) { return (u32)__builtin_popcountll(a); }
static inline u32 zeros(u32 a) { return a ? (u32)__builtin_clz(a) : 32; }
static inline u32 first(u64 a) { return (u32)__builtin_ffsll((s64)a); }
static inline u32 mirror(u32 a)
{
    u32 b = 0;
    for (int i = 0; i < 32; i++)
        b |= (a >> i & 1) << (31 - i);
    return b;
}
static inline u32 upper(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
static inline s64 upper_signed(s64 a, s64 b) { return (s64)((__int128)a * b >> 64); }
static inline u32 bytes(u32 a, u32 b, u32 s)
{
    u64 pair = (u64)b << 32 | a;
    u32 out = 0;
    for (int i = 0; i < 4; i++)
        out |= (u32)(pair >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return out;
}
static inline u32 funnel(u32 a, u32 b, u32 s)
{
    s &= 31;
    return s ? b << s | a >> (32 - s) : b;
}
#endif
