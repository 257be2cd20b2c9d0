// One warp group: D[64,8] += A B, by sparse wgmma, whose A holds half of its elements, and by wgmma of bits. A has rows of
// 32 bytes, B columns of 64 (of bits: of 32).
#include <cstdint>

extern __shared__ __align__(1024) char memory[];
constexpr int A_BYTES = 64 * 32;

__device__ uint64_t descriptor(const void *start, int leading_bytes, int stride_bytes, uint64_t swizzle)
{
    return ((uint32_t)__cvta_generic_to_shared(start) >> 4 & 0x3fff) | (uint64_t)(leading_bytes >> 4) << 16
           | (uint64_t)(stride_bytes >> 4) << 32 | swizzle << 62;
}

// 8 x 16 byte pieces one after the other: first along the rows of eight, then along the row.
__device__ void fill(const char *A, const char *B, int column_bytes, bool swizzled)
{
    for (int i = threadIdx.x; i < A_BYTES; i += 128) {
        int row = i / 32, byte = i % 32;
        memory[byte / 16 * 1024 + row / 8 * 128 + row % 8 * 16 + byte % 16] = A[i];
    }
    for (int i = threadIdx.x; i < 8 * column_bytes; i += 128) {
        int column = i / column_bytes, byte = i % column_bytes;
        int plain = byte / 16 * 128 + column * 16 + byte % 16, mixed = column * 64 + (byte ^ column / 2 % 4 * 16);
        memory[A_BYTES + (swizzled ? mixed : plain)] = B[i];
    }
    __syncthreads();
}

__device__ uint64_t place_of_a() { return descriptor(memory, 1024, 128, 0); }
__device__ uint64_t place_of_b(bool swizzled)
{
    return swizzled ? descriptor(memory + A_BYTES, 16, 512, 2) : descriptor(memory + A_BYTES, 128, 1024, 0);
}

template <class T> __device__ void move(T *d, T *D, bool out)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 4; i++) {
        T *place = D + (warp * 16 + lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2;
        out ? *place = d[i] : d[i] = *place;
    }
}

#define BEGIN asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define END asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory")

#define SPARSE(name, T, letter, shape, types, selector, more, swizzled)                                            \
    extern "C" __global__ void name(const char *A, const char *B, const uint32_t *metadata, T *D)                  \
    {                                                                                                              \
        T d[4];                                                                                                    \
        fill(A, B, 64, swizzled);                                                                                  \
        move(d, D, false);                                                                                         \
        BEGIN;                                                                                                     \
        asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sp.sync.aligned." shape "." types        \
                     " {%0,%1,%2,%3}, %4, %5, %6, " #selector ", p" more "; }"                                     \
                     : "+" letter(d[0]), "+" letter(d[1]), "+" letter(d[2]), "+" letter(d[3])                      \
                     : "l"(place_of_a()), "l"(place_of_b(swizzled)), "r"(metadata[threadIdx.x]));                  \
        END;                                                                                                       \
        move(d, D, true);                                                                                          \
    }
SPARSE(f16_0, float, "f", "m64n8k32", "f32.f16.f16", 0, ", 1, 1, 0, 0", false)
SPARSE(f16_1, float, "f", "m64n8k32", "f32.f16.f16", 1, ", 1, 1, 0, 0", true)
SPARSE(bf16_1, float, "f", "m64n8k32", "f32.bf16.bf16", 1, ", 1, 1, 0, 0", false)
SPARSE(tf32_0, float, "f", "m64n8k16", "f32.tf32.tf32", 0, ", 1, 1", true)
SPARSE(tf32_1, float, "f", "m64n8k16", "f32.tf32.tf32", 1, ", 1, 1", false)
SPARSE(negated_0, float, "f", "m64n8k32", "f32.f16.f16", 0, ", -1, 1, 0, 0", false)
SPARSE(e4m3_0, float, "f", "m64n8k64", "f32.e4m3.e5m2", 0, ", 1, 1", true)
SPARSE(s8_0, int, "r", "m64n8k64", "s32.s8.u8", 0, "", false)

extern "C" __global__ void registers_1(const char *A, const char *B, const uint32_t *metadata, float *D)
{
    float d[4];
    uint32_t a[4];
    fill(A, B, 64, false);
    move(d, D, false);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 4; i++)
        a[i] = *(const uint32_t *)(A + (warp * 16 + lane / 4 + i % 2 * 8) * 32 + i / 2 * 16 + lane % 4 * 4);
    BEGIN;
    asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.bf16.bf16"
                 " {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, %9, 1, p, 1, 1, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(place_of_b(false)), "r"(metadata[threadIdx.x]));
    END;
    move(d, D, true);
}

extern "C" __global__ void bits(const char *A, const char *B, int *D)
{
    int d[4];
    fill(A, B, 32, false);
    move(d, D, false);
    BEGIN;
    asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc"
                 " {%0,%1,%2,%3}, %4, %5, p; }"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "l"(place_of_a()), "l"(place_of_b(false)));
    END;
    move(d, D, true);
}
