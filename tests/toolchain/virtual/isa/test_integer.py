"""Known answers of integer instructions, against Python integers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(2)
EDGES = {
    16: [0, 1, 0xFFFF, 0x8000, 0x7FFF, 0x00FF],
    32: [0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0xFFFF, 3],
    64: [0, 1, (1 << 64) - 1, 1 << 63, (1 << 63) - 1, 0xFFFFFFFF, 1 << 32],
}
STORAGE = {16: np.uint16, 32: np.uint32, 64: np.uint64}


def operand(bits: int) -> NDArray[Any]:
    edges = EDGES[bits]
    pairs = np.repeat(np.array(edges, np.uint64), len(edges))
    rest = RNG.integers(0, 1 << bits, THREADS - len(pairs), dtype=np.uint64, endpoint=False)
    return np.concatenate([pairs, rest]).astype(STORAGE[bits])


def other(bits: int) -> NDArray[Any]:
    edges = EDGES[bits]
    pairs = np.tile(np.array(edges, np.uint64), len(edges))
    small = RNG.integers(1, 1000, THREADS - len(pairs), dtype=np.uint64)
    return np.concatenate([pairs, small]).astype(STORAGE[bits])


A = {bits: operand(bits) for bits in EDGES}
B = {bits: other(bits) for bits in EDGES}
C = {bits: RNG.permutation(operand(bits)) for bits in EDGES}
SHIFTS = np.resize(np.array([0, 1, 15, 16, 31, 32, 33, 63, 64, 65, 0xFFFFFFFF], np.uint32), THREADS)


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def clamp(value: int, bits: int) -> int:
    return max(-(1 << (bits - 1)), min((1 << (bits - 1)) - 1, value))


def quotient(a: int, b: int) -> int:
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    return a - quotient(a, b) * b if b else a


def high24(a: int, b: int) -> int:
    return (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16


def narrow24(value: int) -> int:
    return signed(value & 0xFFFFFF, 24)


Way = Callable[..., int]
SIGNED_AND_UNSIGNED: dict[str, Way] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul.lo": lambda a, b: a * b,
    "div": quotient,
    "rem": remainder,
    "min": min,
    "max": max,
}
ROWS: list[tuple[str, str, int, int, Way]] = []
"""Name, type, bits of the result, number of sources, way."""
for kind in ("u16", "s16", "u32", "s32", "u64", "s64"):
    width = int(kind[1:])
    ROWS += [(f"{name}.{kind}", kind, width, 2, way) for name, way in SIGNED_AND_UNSIGNED.items()]
    ROWS += [
        (f"mul.hi.{kind}", kind, width, 2, lambda a, b, w=width: a * b >> w),
        (f"mad.lo.{kind}", kind, width, 3, lambda a, b, c: a * b + c),
        (f"mad.hi.{kind}", kind, width, 3, lambda a, b, c, w=width: (a * b >> w) + c),
    ]
    if kind[0] == "s":
        ROWS += [
            (f"neg.{kind}", kind, width, 1, lambda a: -a),
            (f"abs.{kind}", kind, width, 1, abs),
        ]
    if width < 64:
        ROWS += [(f"mul.wide.{kind}", kind, 2 * width, 2, lambda a, b: a * b)]
for kind in ("b16", "b32", "b64"):
    width = int(kind[1:])
    ROWS += [
        (f"and.{kind}", kind, width, 2, lambda a, b: a & b),
        (f"or.{kind}", kind, width, 2, lambda a, b: a | b),
        (f"xor.{kind}", kind, width, 2, lambda a, b: a ^ b),
        (f"not.{kind}", kind, width, 1, lambda a: ~a),
        (f"cnot.{kind}", kind, width, 1, lambda a: int(a == 0)),
    ]
ROWS += [
    ("add.sat.s32", "s32", 32, 2, lambda a, b: clamp(a + b, 32)),
    ("sub.sat.s32", "s32", 32, 2, lambda a, b: clamp(a - b, 32)),
    ("max.s32.relu", "s32", 32, 2, lambda a, b: max(a, b, 0)),
    ("min.s32.relu", "s32", 32, 2, lambda a, b: max(min(a, b), 0)),
    ("mad.hi.sat.s32", "s32", 32, 3, lambda a, b, c: clamp((a * b >> 32) + c, 32)),
    ("mad24.hi.sat.s32", "s32", 32, 3, lambda a, b, c: clamp((narrow24(a) * narrow24(b) >> 16) + c, 32)),
    ("mul24.lo.u32", "u32", 32, 2, lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    ("mul24.hi.u32", "u32", 32, 2, high24),
    ("mad24.lo.u32", "u32", 32, 3, lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c),
]


def shift(name: str, value: int, amount: int) -> int:
    bits = int(name[-2:])
    if name.startswith("shl"):
        return value << min(amount, bits)
    return (signed(value, bits) if ".s" in name else value) >> min(amount, bits)


SHIFT_NAMES = [f"shl.b{w}" for w in EDGES] + [f"shr.{s}{w}" for s in "us" for w in EDGES]
CARRIES = """{ .reg .b32 lo, hi;
add.cc.u32 lo, %s0, %s1; addc.cc.u32 hi, %s1, %s2; addc.u32 %d0, 0, 0;
sub.cc.u32 lo, %s0, %s1; subc.cc.u32 hi, lo, %s2; subc.u32 %d1, 0, 0;
mad.lo.cc.u32 lo, %s0, %s1, %s2; madc.hi.u32 %d2, %s0, %s1, 0; }"""
CARRY_ACROSS_BLOCKS = """{ .reg .pred p; .reg .b32 lo; add.cc.u32 lo, %s0, %s1; setp.gt.s32 p, %s2, 0;
@p bra TAKEN;
add.cc.u32 lo, %s0, %s0;
TAKEN: addc.u32 %d0, 0, 0; }"""
GUARDED_CARRY = """{ .reg .pred p; .reg .b32 lo; add.cc.u32 lo, %s0, %s1; setp.gt.s32 p, %s2, 0;
@p sub.cc.u32 lo, %s0, %s1; addc.u32 %d0, 0, 0; madc.hi.sat.s32 %d1, %s0, %s1, %s2; }"""


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    made = Table()
    for name, kind, bits, count, way in ROWS:
        width = int(kind[1:])
        kinds = " ".join([kind] * count)
        del way
        made.add(name, f"b{bits}", kinds, [A[width], B[width], C[width]][:count])
    for name in SHIFT_NAMES:
        width = int(name[-2:])
        made.add(name, f"b{width}", f"b{width} b32", [A[width], SHIFTS])
    made.add("carry across blocks", "b32", "b32 b32 b32", [A[32], B[32], C[32]], CARRY_ACROSS_BLOCKS)
    made.add("guarded carry", "b32 b32", "b32 b32 b32", [A[32], B[32], C[32]], GUARDED_CARRY)
    made.add("carry", "b32 b32 b32", "b32 b32 b32", [A[32], B[32], C[32]], CARRIES)
    made.run(launch)
    return made


@pytest.mark.parametrize(("name", "kind", "bits", "count", "way"), ROWS, ids=[row[0] for row in ROWS])
def test_arithmetic_is_exact(table: Table, name: str, kind: str, bits: int, count: int, way: Way) -> None:
    width = int(kind[1:])
    sources = [array.tolist() for array in (A[width], B[width], C[width])[:count]]
    if kind[0] == "s":
        sources = [[signed(v, width) for v in values] for values in sources]
    wanted = [way(*values) % (1 << bits) for values in zip(*sources, strict=True)]
    assert table.found[name][0].tolist() == wanted


@pytest.mark.parametrize("name", SHIFT_NAMES)
def test_shift_amounts_are_clamped_to_the_width(table: Table, name: str) -> None:
    bits = int(name[-2:])
    wanted = [
        shift(name, value, amount) % (1 << bits)
        for value, amount in zip(A[bits].tolist(), SHIFTS.tolist(), strict=True)
    ]
    assert table.found[name][0].tolist() == wanted


def test_carries_chain_additions_subtractions_and_products(table: Table) -> None:
    a, b, c = (array.tolist() for array in (A[32], B[32], C[32]))
    carry, borrow, high = (found.tolist() for found in table.found["carry"])
    word = 1 << 32
    for i in range(THREADS):
        assert carry[i] == (b[i] + c[i] + (a[i] + b[i]) // word) // word
        difference = (a[i] - b[i]) % word
        assert borrow[i] == ((word - 1) if difference - c[i] - int(a[i] < b[i]) < 0 else 0)
        assert high[i] == ((a[i] * b[i] >> 32) + ((a[i] * b[i] % word + c[i]) // word)) % word


def test_a_carry_outlives_its_basic_block(table: Table) -> None:
    a, b, c = (array.astype(np.uint64) for array in (A[32], B[32], C[32]))
    second = np.where(C[32].view(np.int32) > 0, b, a)
    assert c.size == THREADS
    assert table.found["carry across blocks"][0].tolist() == (a + second >> np.uint64(32)).tolist()


def test_a_guarded_instruction_sets_the_carry_of_its_lanes_only(table: Table) -> None:
    carries, clamped = (found.tolist() for found in table.found["guarded carry"])
    for i, (a, b, c) in enumerate(zip(A[32].tolist(), B[32].tolist(), C[32].tolist(), strict=True)):
        carry = int(a >= b) if signed(c, 32) > 0 else a + b >> 32
        assert carries[i] == carry
        assert clamped[i] == clamp((signed(a, 32) * signed(b, 32) >> 32) + signed(c, 32) + carry, 32) % 2**32


def test_a_partial_warp_computes_the_same(table: Table, launch: Launch) -> None:
    again, threads = Table(rows=table.rows), THREADS - 12
    again.run(lambda ptx, kernel, arrays, _: launch(ptx, kernel, arrays, threads))
    for name, found in again.found.items():
        for part, whole in zip(found, table.found[name], strict=True):
            assert part[:threads].tobytes() == whole[:threads].tobytes(), name
