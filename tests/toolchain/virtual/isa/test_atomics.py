"""Atomics on global and shared memory: final values, and what each lane was given back."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.conftest import Runner

RNG = np.random.default_rng(6)
THREADS, CELLS = 64, 4
Array = NDArray[Any]
HEAD = """
.version 9.0
.target sm_90
.address_size 64
"""
KERNEL = """
.visible .entry {name}(
  .param .u64 cells_at, .param .u64 operands_at, .param .u64 others_at, .param .u64 old_at
)
{{
.shared .align 16 .b8 {name}_held[64];
.reg .b32 thread, cell, offset;
.reg .b64 cells, operands, others, old, place, wide, shared;
.reg .pred first;
.reg .{register} value, other, before;
ld.param.u64 cells, [cells_at];
ld.param.u64 operands, [operands_at];
ld.param.u64 others, [others_at];
ld.param.u64 old, [old_at];
mov.u32 thread, %tid.x;
and.b32 cell, thread, 3;
mul.wide.u32 wide, cell, {width};
add.s64 cells, cells, wide;
mul.lo.u32 offset, cell, {width};
mov.u64 shared, {name}_held;
add.s64 shared, shared, wide;
mul.wide.u32 wide, thread, {width};
add.s64 operands, operands, wide;
add.s64 others, others, wide;
add.s64 old, old, wide;
ld.global.b{bits} value, [operands];
ld.global.b{bits} other, [others];
setp.lt.u32 first, thread, 4;
@first ld.global.b{bits} before, [cells];
@first st.shared.b{bits} [shared], before;
bar.sync 0;
{body}
bar.sync 0;
@first ld.shared.b{bits} before, [shared];
{writeback}
ret;
}}
"""
DTYPES: dict[str, Any] = {
    "u32": np.uint32, "s32": np.int32, "b32": np.uint32, "u64": np.uint64, "s64": np.int64, "b64": np.uint64,
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "b16": np.uint16,
    "f16x2": np.float16, "bf16x2": ml_dtypes.bfloat16,
}  # fmt: skip
Step = Callable[[Any, Any, Any], Any]
STEPS: dict[str, Step] = {
    "add": lambda x, y, z: x + y,
    "min": lambda x, y, z: min(x, y),
    "max": lambda x, y, z: max(x, y),
    "and": lambda x, y, z: x & y,
    "or": lambda x, y, z: x | y,
    "xor": lambda x, y, z: x ^ y,
    "exch": lambda x, y, z: y,
    "cas": lambda x, y, z: z if x == y else x,
    "inc": lambda x, y, z: x * 0 if x >= y else x + 1,
    "dec": lambda x, y, z: y if x == 0 or x > y else x - 1,
}
OPCODES = [
    *[f"atom.{space}.{name}.{kind}" for space in ("global", "shared") for name, kinds in (
        ("add", ("u32", "s32", "u64", "f32", "f64")), ("min", ("u32", "s32", "u64", "s64")),
        ("max", ("u32", "s32", "u64", "s64")), ("and", ("b32", "b64")), ("or", ("b32",)), ("xor", ("b64",)),
        ("exch", ("b32", "b64")), ("cas", ("b32", "b64", "b16")), ("inc", ("u32",)), ("dec", ("u32",)),
    ) for kind in kinds],
    *[f"atom.{space}.add.noftz.{kind}" for space in ("global", "shared")
      for kind in ("f16", "bf16", "f16x2", "bf16x2")],
    "atom.add.u32", "atom.acq_rel.gpu.global.cas.b32", "red.relaxed.gpu.global.add.f32", "red.shared.add.u32",
    "red.global.max.s32", "atom.release.cta.shared.exch.b32",
]  # fmt: skip


def parts(opcode: str) -> tuple[str, str, bool]:
    words = opcode.split(".")
    return next(word for word in words if word in STEPS), words[-1], "shared" in words


def operands(name: str, kind: str) -> tuple[Array, Array, Array]:
    """Cells, operands, replacements; small numbers, so that swaps succeed and sums are exact."""
    dtype, per_lane = np.dtype(DTYPES[kind]), 2 if kind.endswith("x2") else 1
    low = -3 if dtype.kind not in "u" else 0
    sizes = (CELLS * per_lane, THREADS * per_lane, THREADS * per_lane)
    high = 3 if name == "cas" else 7
    cells, given, others = (RNG.integers(low, high, size).astype(dtype) for size in sizes)
    return cells, given, others


def kernel(index: int, opcode: str) -> str:
    name, kind, is_shared = parts(opcode)
    width = np.dtype(DTYPES[kind]).itemsize * (2 if kind.endswith("x2") else 1)
    place = "shared" if is_shared else "cells"
    source = "value, other" if name == "cas" else "value"
    is_float = kind in ("f32", "f64")
    body = f"{opcode} before, [{place}], {source};\nst.global.b{8 * width} [old], before;"
    if opcode.startswith("red"):
        body = f"{opcode} [{place}], {source};"
    return KERNEL.format(
        name=f"k{index}",
        width=width,
        bits=8 * width,
        register=kind if is_float else f"b{8 * width}",
        body=body,
        writeback=f"@first st.global.b{8 * width} [cells], before;" if is_shared else "",
    )


PTX = HEAD + "".join(kernel(i, opcode) for i, opcode in enumerate(OPCODES))


def by_hand(step: Step, cells: Array, given: Array, others: Array) -> tuple[Array, Array]:
    """Lanes in order; lane i updates cell i mod 4 (of pairs: both halves)."""
    per_lane = len(cells) // CELLS
    cells, old = cells.copy(), np.zeros_like(given)
    for i in range(len(given)):
        cell = i // per_lane % CELLS * per_lane + i % per_lane
        old[i] = cells[cell]
        cells[cell] = step(cells[cell], given[i], others[i])
    return cells, old


@pytest.mark.parametrize("opcode", OPCODES)
def test_updates_in_lane_order(runner: Runner, opcode: str) -> None:
    name, kind, _ = parts(opcode)
    cells, given, others = operands(name, kind)
    expected, expected_old = by_hand(STEPS[name], cells, given, others)
    old = np.zeros_like(given)
    arrays = [array.view(np.uint8) for array in (cells, given, others, old)]
    assert runner.launch(PTX, f"k{OPCODES.index(opcode)}", arrays, THREADS) is None
    assert cells.tobytes() == expected.tobytes()
    if not opcode.startswith("red"):
        assert old.tobytes() == expected_old.tobytes()


VECTOR = (
    HEAD
    + """
.visible .entry vector(.param .u64 cells_at)
{
.reg .b64 cells;
.reg .f32 a, b, c, d;
ld.param.u64 cells, [cells_at];
mov.f32 a, 0f3F800000;
mov.f32 b, 0f40000000;
red.global.add.v2.f32 [cells], {a, b};
atom.global.v4.f32.add {a, b, c, d}, [cells], {a, b, a, b};
ret;
}
"""
)


def test_vector_forms_update_every_element(runner: Runner) -> None:
    cells = np.zeros(4, np.float32)
    assert runner.launch(VECTOR, "vector", [cells], 32) is None
    assert (cells[2], cells[3]) == (32, 64)
    assert cells[0] == cells[1] / 2 == 64


def test_an_atomic_beyond_the_buffer_is_a_fault(runner: Runner) -> None:
    cells = np.zeros(2, np.float32)
    assert runner.launch(VECTOR, "vector", [cells], 32) is not None


CONTENDED = (
    HEAD
    + """
.visible .entry count(.param .u64 cells_at)
{
.reg .b64 cells;
.reg .b32 one;
ld.param.u64 cells, [cells_at];
mov.u32 one, 1;
red.global.add.u32 [cells], one;
red.global.add.u64 [cells+8], 1;
ret;
}
"""
)


LOCKED = (
    HEAD
    + """
.visible .entry locked(.param .u64 cells_at)
{
.reg .b64 cells;
.reg .b32 old, count;
.reg .pred busy, open;
ld.param.u64 cells, [cells_at];
$again:
atom.global.cas.b32 old, [cells], 0, 1;
setp.ne.u32 busy, old, 0;
@busy bra $next;
ld.volatile.global.u32 count, [cells+4];
add.u32 count, count, 1;
st.volatile.global.u32 [cells+4], count;
atom.global.exch.b32 old, [cells], 0;
$next:
@busy bra $again;
ret;
}
"""
)


@pytest.mark.parametrize("threads", [1, 2])
def test_lanes_that_spin_for_a_lock_let_its_holder_finish(runner: Runner, threads: int) -> None:
    cells = np.zeros(2, np.uint32)
    assert runner.launch(LOCKED, "locked", [cells], 64, grid=4, threads=threads) is None
    assert cells.tolist() == [0, 256]


def test_blocks_of_several_host_threads_lose_no_update(runner: Runner) -> None:
    cells = np.zeros(4, np.uint32)
    assert runner.launch(CONTENDED, "count", [cells], 128, grid=2000, threads=2) is None
    assert cells.tolist() == [256000, 0, 256000, 0]
