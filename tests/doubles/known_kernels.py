"""Kernels whose counters are known by hand, as sampled launches: a copy, and products of FP32 matrices."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from tests.doubles.sampled_launch import Touch, kernel_of, run_of_sectors, sampled

A, B, C = 1 << 32, 1 << 33, 1 << 34
POINTERS = ".param .u64 pa, .param .u64 pb, .param .u64 pc"
PARAMETERS = b"".join(pointer.to_bytes(8, "little") for pointer in (A, B, C))
LOAD_POINTERS = "ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pb]; ld.param.u64 %rd3, [pc];"
PLACES = (
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;"
    "mul.wide.s32 %rd4, %r4, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4;"
)


def resources(registers: int = 32, shared_bytes: int = 0) -> KernelResources:
    """What ptxas would report of the kernel `k`."""
    return KernelResources("k", registers, shared_bytes, 0, 0, 0)


def pointers_moved(by: int) -> bytes:
    """PARAMETERS with every pointer so many bytes farther."""
    return b"".join((pointer + by).to_bytes(8, "little") for pointer in (A, B, C))


def copy(elements: int, block: int = 256) -> SampledLaunch:
    """b[i] = a[i], FP32, one element a thread."""
    kernel = kernel_of(
        f"{LOAD_POINTERS}{PLACES}ld.global.f32 %f1, [%rd5]; st.global.f32 [%rd6], %f1; ret;", POINTERS
    )

    def footprint(b: int) -> NDArray[np.uint64]:
        return np.concatenate([run_of_sectors(base + b * block * 4, block * 4) for base in (A, B)])

    return sampled(
        kernel,
        grid=(elements // block, 1, 1),
        block=(block, 1, 1),
        touches=[Touch(4, 4), Touch(4, 4)],
        footprint=footprint,
        allocations=((A, elements * 4), (B, elements * 4)),
        parameters=PARAMETERS,
    )


def naive_product(n: int, *, coalesced: bool) -> SampledLaunch:
    """Every operand from global memory, blocks of 32 x 32; uncoalesced: lanes of a warp are rows."""
    steps = "".join(
        f"ld.global.f32 %f{2 * k + 2}, [%rd5+{4 * k}]; ld.global.f32 %f{2 * k + 3}, [%rd6];"
        f"fma.rn.f32 %f1, %f{2 * k + 2}, %f{2 * k + 3}, %f1; add.s64 %rd6, %rd6, %rd9;"
        for k in range(4)
    )
    body = (
        f"{LOAD_POINTERS}{PLACES}\nL: {steps} add.s64 %rd5, %rd5, 16; add.s32 %r9, %r9, 4;"
        "setp.ne.s32 %p1, %r9, 4096; @%p1 bra L;\nst.global.f32 [%rd7], %f1; ret;"
    )
    along, broadcast = Touch(4, 0.4, 1), Touch(1, 0.04, 1)
    lanes_are_rows = Touch(32, 4.0, 32)
    pair = [broadcast, along] if coalesced else [lanes_are_rows, broadcast]
    return sampled(
        kernel_of(body, POINTERS),
        grid=(n // 32, n // 32, 1),
        block=(32, 32, 1),
        executions={1: n / 4},
        touches=[*pair * 4, along if coalesced else Touch(32, 32, 32)],
        footprint=tiles(n, 32, 32),
        allocations=matrices(n),
        parameters=PARAMETERS,
    )


def tiled_product(n: int) -> SampledLaunch:
    """Tiles of 32 x 32 through shared memory, one element a thread."""
    steps = "".join(
        f"ld.shared.f32 %f{2 * k + 2}, [%r10+{4 * k}]; ld.shared.f32 %f{2 * k + 3}, [%r11+{128 * k}];"
        f"fma.rn.f32 %f1, %f{2 * k + 2}, %f{2 * k + 3}, %f1;"
        for k in range(32)
    )
    body = (
        f"{LOAD_POINTERS}{PLACES}shl.b32 %r10, %r1, 7;\n"
        "L: ld.global.f32 %f100, [%rd5]; ld.global.f32 %f101, [%rd6];"
        "st.shared.f32 [%r12], %f100; st.shared.f32 [%r13], %f101; bar.sync 0;"
        f"{steps} bar.sync 0; add.s64 %rd5, %rd5, 128; add.s64 %rd6, %rd6, %rd9; add.s32 %r9, %r9, 32;"
        "setp.ne.s32 %p1, %r9, 4096; @%p1 bra L;\nst.global.f32 [%rd7], %f1; ret;"
    )
    inner = n / 32
    return sampled(
        kernel_of(body, POINTERS),
        grid=(n // 32, n // 32, 1),
        block=(32, 32, 1),
        executions={1: inner, 2: inner, 3: inner},
        touches=[Touch(4, 4), Touch(4, 4), Touch(1), Touch(1), *[Touch(1)] * 64, Touch(4, 4)],
        footprint=tiles(n, 32, 32),
        allocations=matrices(n),
        parameters=PARAMETERS,
    )


def register_product(n: int) -> SampledLaunch:
    """Tiles of 128 x 128 a block of 256 threads, 8 x 8 a thread, 128-bit accesses of shared memory."""
    step = "".join(
        f"ld.shared.v4.f32 {{%f{f},%f{f + 1},%f{f + 2},%f{f + 3}}}, [%r{f // 4 - 40}+%K];"
        for f in range(200, 216, 4)
    )
    step += "".join(
        f"fma.rn.f32 %f{8 * i + j + 1}, %f{200 + i}, %f{208 + j}, %f{8 * i + j + 1};"
        for i in range(8)
        for j in range(8)
    )
    steps = "".join(step.replace("%K", str(512 * k)) for k in range(8))
    body = (
        f"{LOAD_POINTERS}{PLACES}\nL: ld.global.v4.f32 {{%f240,%f241,%f242,%f243}}, [%rd5];"
        "ld.global.v4.f32 {%f244,%f245,%f246,%f247}, [%rd6];"
        "st.shared.v4.f32 [%r20], {%f240,%f241,%f242,%f243};"
        "st.shared.v4.f32 [%r21], {%f244,%f245,%f246,%f247};"
        f"bar.sync 0; {steps} bar.sync 0;"
        "add.s64 %rd5, %rd5, 32; add.s64 %rd6, %rd6, %rd9; add.s32 %r9, %r9, 8;"
        "setp.ne.s32 %p1, %r9, 4096; @%p1 bra L;\n"
        + "st.global.v4.f32 [%rd7], {%f1,%f2,%f3,%f4};" * 16
        + "ret;"
    )
    inner = n / 8
    shared = [Touch(1), Touch(1), Touch(4), Touch(4)]
    return sampled(
        kernel_of(body, POINTERS),
        grid=(n // 128, n // 128, 1),
        block=(256, 1, 1),
        executions={1: inner, 2: inner, 3: inner},
        touches=[
            Touch(32, 32, 16),
            Touch(16, 16, 4),
            Touch(8),
            Touch(4),
            *shared * 8,
            *[Touch(16, 16, 4)] * 16,
        ],
        footprint=tiles(n, 128, 128),
        allocations=matrices(n),
        parameters=PARAMETERS,
    )


def matrices(n: int) -> tuple[tuple[int, int], ...]:
    """The three buffers of a product."""
    return tuple((base, 4 * n * n) for base in (A, B, C))


def tiles(n: int, height: int, width: int) -> Callable[[int], NDArray[np.uint64]]:
    """Sectors of a block that computes a tile: rows of A, columns of B, the tile of C."""
    pitch = n // 8

    def footprint(block: int) -> NDArray[np.uint64]:
        y, x = divmod(block, n // width)
        rows = run_of_sectors(A + y * height * n * 4, height * n * 4)
        columns = (np.arange(n)[:, None] * pitch + np.arange(width // 8) + B // 32 + x * width // 8).ravel()
        own = np.arange(height)[:, None] * pitch + np.arange(width // 8) + C // 32
        own = (own + y * height * pitch + x * width // 8).ravel()
        return np.concatenate([rows, columns.astype(np.uint64), own.astype(np.uint64)])

    return footprint
