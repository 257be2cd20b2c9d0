// Tensor maps that a kernel changes or makes, by inline PTX, and boxes that are copied by them.
#include <cstdint>

struct alignas(128) Map {
    uint32_t words[32];
};

struct alignas(64) Shape {
    uint64_t address, stride;
    uint32_t sizes[2], box[2], step;
    int32_t first[2];
};

#define KERNEL extern "C" __global__ void

#define REPLACE(field, space, type, kind, operands, map, value) \
    asm volatile("tensormap.replace.tile." field "." space ".b1024." type " [%0], " operands ";" ::"l"(map), kind(value) : "memory")

// What the map holds is replaced where it lies.
#define REPLACE_ALL(space, map, shape)                                                      \
    REPLACE("global_address", space, "b64", "l", "%1", map, (shape).address);               \
    REPLACE("global_dim", space, "b32", "r", "0, %1", map, (shape).sizes[0]);               \
    REPLACE("global_dim", space, "b32", "r", "1, %1", map, (shape).sizes[1]);               \
    REPLACE("global_stride", space, "b64", "l", "0, %1", map, (shape).stride);              \
    REPLACE("box_dim", space, "b32", "r", "0, %1", map, (shape).box[0]);                    \
    REPLACE("box_dim", space, "b32", "r", "1, %1", map, (shape).box[1]);                    \
    REPLACE("element_stride", space, "b32", "r", "0x0, %1", map, 1u);                       \
    REPLACE("element_stride", space, "b32", "r", "0x1, %1", map, (shape).step)

__device__ uint32_t shared_place(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ void publish(Map *to, const Map *from)
{
    if (threadIdx.x < 32)
        asm volatile(
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(to),
            "r"(shared_place(from))
            : "memory");
}

__device__ void copy(const Map *map, const Shape &shape, uint8_t *y, int bytes)
{
    extern __shared__ __align__(1024) uint8_t box[];
    __shared__ uint64_t barrier;
    uint32_t on = shared_place(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(on) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(on), "r"(bytes) : "memory");
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                         shared_place(box)),
                     "l"(map), "r"(shape.first[0]), "r"(shape.first[1]), "r"(on)
                     : "memory");
    }
    __syncthreads();
    asm volatile("{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra WAIT; }" ::"r"(on) : "memory");
    for (int i = threadIdx.x; i < bytes; i += blockDim.x)
        y[i] = box[i];
}

// A map of the host's, changed in shared memory, published.
KERNEL in_shared(const __grid_constant__ Map map, Map *changed, Shape shape, uint8_t *y, int bytes)
{
    __shared__ Map own;
    if (threadIdx.x == 0) {
        own = map;
        REPLACE_ALL("shared::cta", (uint64_t)shared_place(&own), shape);
    }
    __syncthreads();
    publish(changed, &own);
    copy(changed, shape, y, bytes);
}

KERNEL in_global(const __grid_constant__ Map map, Map *changed, Shape shape, uint8_t *y, int bytes)
{
    if (threadIdx.x == 0) {
        *changed = map;
        REPLACE_ALL("global", changed, shape);
    }
    __syncthreads();
    copy(changed, shape, y, bytes);
}

#define LITERAL(field, map, value) \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024.b32 [%0], " #value ";" ::"l"(map) : "memory")

#define MADE(name, element, swizzle, fill)                                    \
    KERNEL made_##name(Map *made, Shape shape, uint8_t *y, int bytes)         \
    {                                                                         \
        __shared__ Map own;                                                   \
        uint64_t place = shared_place(&own);                                  \
        if (threadIdx.x < 32)                                                 \
            own.words[threadIdx.x] = 0;                                       \
        __syncthreads();                                                      \
        if (threadIdx.x == 0) {                                               \
            REPLACE("rank", "shared::cta", "b32", "r", "%1", place, 1u);      \
            LITERAL("elemtype", place, element);                              \
            LITERAL("interleave_layout", place, 0);                           \
            LITERAL("swizzle_mode", place, swizzle);                          \
            LITERAL("fill_mode", place, fill);                                \
            REPLACE_ALL("shared::cta", place, shape);                         \
        }                                                                     \
        __syncthreads();                                                      \
        publish(made, &own);                                                  \
        copy(made, shape, y, bytes);                                          \
    }
MADE(u8, 0, 0, 0)
MADE(f16, 6, 1, 0)
MADE(f32, 7, 2, 1)
MADE(flushed, 8, 0, 0)
MADE(f64, 9, 3, 0)
MADE(bf16, 10, 0x3, 1)

KERNEL tf32(Map *map)
{
    asm volatile("tensormap.replace.tile.elemtype.global.b1024.b32 [%0], 11;" ::"l"(map) : "memory");
}
