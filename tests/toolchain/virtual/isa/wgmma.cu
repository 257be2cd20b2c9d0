// One warp group: D[64,N] = A[64,64] B[64,N] by wgmma, operands in shared memory in the layouts of PTX ISA 9.0.
#include <cuda_bf16.h>

#include <cstdint>

constexpr int M = 64, N = 64, K = 64;

__device__ uint32_t shared_address(const void *pointer) { return (uint32_t)__cvta_generic_to_shared(pointer); }

__device__ uint64_t descriptor(const void *start, int leading_bytes, int stride_bytes, uint64_t swizzle) {
    return (shared_address(start) >> 4 & 0x3fff) | (uint64_t)(leading_bytes >> 4) << 16
           | (uint64_t)(stride_bytes >> 4) << 32 | swizzle << 62;
}

// Rows of 128 bytes whose 16-byte pieces are permuted by the row's number, as a tensor map with a 128-byte swizzle writes.
__device__ void *swizzled128(void *base, int row, int byte) { return (char *)base + row * 128 + (byte ^ row % 8 * 16); }

__device__ void *swizzled64(void *base, int row, int byte) {
    return (char *)base + byte / 64 * M * 64 + row * 64 + (byte % 64 ^ row / 2 % 4 * 16);
}

// 8 x 16 byte pieces one after the other: first along the rows of eight, then along the row.
__device__ void *pieces(void *base, int row, int byte) {
    return (char *)base + byte / 16 * (M / 8) * 128 + row / 8 * 128 + row % 8 * 16 + byte % 16;
}

#define SUMS                                                                                                     \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, " \
    "%23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define OUT(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define OUTPUTS OUT(0), OUT(4), OUT(8), OUT(12), OUT(16), OUT(20), OUT(24), OUT(28)

template <int TRANSPOSED_A, int TRANSPOSED_B, int SIGN>
__device__ void multiply(float *d, uint64_t a, uint64_t b, int keep) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " SUMS ", %32, %33, p, %35, 1, %36, %37; }"
                 : OUTPUTS : "l"(a), "l"(b), "r"(keep), "n"(SIGN), "n"(TRANSPOSED_A), "n"(TRANSPOSED_B));
}

__device__ void multiply_registers(float *d, const uint32_t *a, uint64_t b, int keep) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %37, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 " SUMS ", {%32, %33, %34, %35}, %36, p, 1, 1, 0; }"
                 : OUTPUTS : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep));
}

__device__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ void finish() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ void write_out(const float *d, float *D) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 32; i++)
        D[(warp * 16 + lane / 4 + i % 4 / 2 * 8) * N + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}

using bf16 = __nv_bfloat16;
extern __shared__ __align__(1024) char memory[];

// A is [M][K], B is [N][K]: both run along K.
template <class Place> __device__ void fill(const bf16 *A, const bf16 *B, Place place) {
    for (int i = threadIdx.x; i < M * K; i += 128) {
        *(bf16 *)place(memory, i / K, i % K * 2) = A[i];
        *(bf16 *)place(memory + M * K * 2, i / K, i % K * 2) = B[i];
    }
    __syncthreads();
}

extern "C" __global__ void along_k_128(const bf16 *A, const bf16 *B, float *D) {
    float d[32];
    fill(A, B, swizzled128);
    begin();
    for (int k = 0; k < K / 16; k++)
        multiply<0, 0, 1>(d, descriptor(memory + 32 * k, 16, 1024, 1), descriptor(memory + M * K * 2 + 32 * k, 16, 1024, 1), k);
    finish();
    write_out(d, D);
}

extern "C" __global__ void along_k_64(const bf16 *A, const bf16 *B, float *D) {
    float d[32];
    fill(A, B, swizzled64);
    begin();
    for (int k = 0; k < K / 16; k++) {
        int at = k / 2 * M * 64 + k % 2 * 32;
        multiply<0, 0, 1>(d, descriptor(memory + at, 16, 512, 2), descriptor(memory + M * K * 2 + at, 16, 512, 2), k);
    }
    finish();
    write_out(d, D);
}

extern "C" __global__ void along_k_plain(const bf16 *A, const bf16 *B, float *D) {
    float d[32];
    fill(A, B, pieces);
    begin();
    for (int k = 0; k < K / 16; k++) {
        int at = 2 * k * (M / 8) * 128;
        multiply<0, 0, -1>(d, descriptor(memory + at, 1024, 128, 0), descriptor(memory + M * K * 2 + at, 1024, 128, 0), k);
    }
    finish();
    write_out(d, D);
}

// A is [K][M], B is [K][N]: both run along M and N; sixteen k are two groups of eight rows of 128 bytes.
extern "C" __global__ void across_k_128(const bf16 *A, const bf16 *B, float *D) {
    float d[32];
    fill(A, B, swizzled128);
    begin();
    for (int k = 0; k < K / 16; k++)
        multiply<1, 1, 1>(d, descriptor(memory + 2048 * k, 8192, 1024, 1), descriptor(memory + 8192 + 2048 * k, 8192, 1024, 1), k);
    finish();
    write_out(d, D);
}

// A from registers, in the fragments of mma.m16n8k16.
extern "C" __global__ void from_registers(const bf16 *A, const bf16 *B, float *D) {
    float d[32];
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    fill(A, B, swizzled128);
    begin();
    for (int k = 0; k < K / 16; k++) {
        uint32_t a[4];
        for (int i = 0; i < 4; i++) a[i] = *(const uint32_t *)(A + (row + i % 2 * 8) * K + k * 16 + column + i / 2 * 8);
        multiply_registers(d, a, descriptor(memory + M * K * 2 + 32 * k, 16, 1024, 1), k);
    }
    finish();
    write_out(d, D);
}

#define INTEGER(i) "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
#define HALF_SUMS "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"

__device__ int place_in_d(int i) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return (warp * 16 + lane / 4 + i % 4 / 2 * 8) * N + i / 4 * 8 + lane % 4 * 2 + i % 2;
}

// D += A B, bytes along K, of which a product takes 32: two pieces of 16.
template <class Product> __device__ void add_bytes(const char *A, const char *B, int *D, Product product) {
    int d[32];
    for (int i = 0; i < 32; i++) d[i] = D[place_in_d(i)];
    for (int i = threadIdx.x; i < M * K; i += 128) {
        *(char *)pieces(memory, i / K, i % K) = A[i];
        *(char *)pieces(memory + M * K, i / K, i % K) = B[i];
    }
    __syncthreads();
    begin();
    for (int at = 0; at < M * K; at += 32 * M)
        product(d, descriptor(memory + at, 1024, 128, 0), descriptor(memory + M * K + at, 1024, 128, 0));
    finish();
    for (int i = 0; i < 32; i++) D[place_in_d(i)] = d[i];
}

#define BYTES(name, types)                                                                               \
    extern "C" __global__ void name(const char *A, const char *B, int *D) {                              \
        add_bytes(A, B, D, [](int *d, uint64_t a, uint64_t b) {                                          \
            asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0;\n"                                        \
                         "wgmma.mma_async.sync.aligned.m64n64k32." types " " SUMS ", %32, %33, p; }"     \
                         : INTEGER(0), INTEGER(4), INTEGER(8), INTEGER(12), INTEGER(16), INTEGER(20),    \
                           INTEGER(24), INTEGER(28) : "l"(a), "l"(b));                                   \
        });                                                                                              \
    }
BYTES(signed_bytes, "s32.s8.s8")
BYTES(mixed_bytes, "s32.u8.s8")
BYTES(saturated_bytes, "s32.s8.u8.satfinite")

extern "C" __global__ void half_sums(const uint16_t *A, const uint16_t *B, uint16_t *D) {
    uint32_t d[16];
    for (int i = 0; i < 16; i++) d[i] = *(uint32_t *)(D + place_in_d(2 * i));
    fill((const bf16 *)A, (const bf16 *)B, swizzled128);
    begin();
    for (int k = 0; k < K / 16; k++) {
        uint64_t a = descriptor(memory + 32 * k, 16, 1024, 1), b = descriptor(memory + M * K * 2 + 32 * k, 16, 1024, 1);
        asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 " HALF_SUMS ", %16, %17, p, 1, -1, 0, 0; }"
                     : INTEGER(0), INTEGER(4), INTEGER(8), INTEGER(12) : "l"(a), "l"(b));
    }
    finish();
    for (int i = 0; i < 16; i++) *(uint32_t *)(D + place_in_d(2 * i)) = d[i];
}

// As along_k_128, but nobody waits for the others to have written the operands.
extern "C" __global__ void reads_too_early(const bf16 *A, const bf16 *B, float *D) {
    float d[32];
    for (int i = threadIdx.x; i < M * K; i += 128) {
        *(bf16 *)swizzled128(memory, i / K, i % K * 2) = A[i];
        *(bf16 *)swizzled128(memory + M * K * 2, i / K, i % K * 2) = B[i];
    }
    begin();
    for (int k = 0; k < K / 16; k++)
        multiply<0, 0, 1>(d, descriptor(memory + 32 * k, 16, 1024, 1), descriptor(memory + M * K * 2 + 32 * k, 16, 1024, 1), k);
    finish();
    write_out(d, D);
}
