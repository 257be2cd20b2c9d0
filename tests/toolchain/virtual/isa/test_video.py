"""Known answers of SIMD video instructions and other pairs, against Python integers."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(11)
EDGES = np.array([0, 0xFFFFFFFF, 0x80808080, 0x7F7F7F7F, 0x80008000, 0x7FFF7FFF, 0x00FF01FE], np.uint32)
A = np.concatenate([np.repeat(EDGES, 7), RNG.integers(0, 1 << 32, THREADS - 49, np.uint32)])
B = np.concatenate([np.tile(EDGES, 7), RNG.integers(0, 1 << 32, THREADS - 49, np.uint32)])
C = RNG.integers(0, 1 << 32, THREADS, np.uint32)

Way = Callable[[int, int], int]
WAYS: dict[str, Way] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vmin": min,
    "vmax": max,
    "vabsdiff": lambda a, b: abs(a - b),
    "vavrg": lambda a, b: (a + b + (a + b >= 0)) // 2,
}
ROWS = [
    (f"{name}{count}.{kind}.{kind}.{kind}{suffix}", name, count, kind, suffix)
    for name in WAYS
    for count in (2, 4)
    for kind in ("u32", "s32")
    for suffix in ("", ".sat", ".add")
]
SETS = [("vset4.u32.u32.lt", 4, "u32"), ("vset2.s32.s32.lt", 2, "s32")]
PAIRS = {
    "max.s16x2.relu": lambda a, b: max(a, b, 0),
    "min.s16x2.relu": lambda a, b: max(min(a, b), 0),
}  # fmt: skip


def elements(value: int, count: int, kind: str) -> list[int]:
    width = 32 // count
    raw = [value >> width * i & (1 << width) - 1 for i in range(count)]
    return [v - (1 << width) if kind == "s32" and v >> (width - 1) else v for v in raw]


def limited(value: int, width: int, kind: str) -> int:
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if kind == "s32" else (0, (1 << width) - 1)
    return min(max(value, low), high)


def packed(values: list[int]) -> int:
    width = 32 // len(values)
    return sum((value & (1 << width) - 1) << width * i for i, value in enumerate(values))


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    made = Table()
    for name in [row[0] for row in ROWS] + [row[0] for row in SETS]:
        made.add(name, "b32", "b32 b32 b32", [A, B, C])
    for name in PAIRS:
        made.add(name, "b32", "b32 b32", [A, B])
    made.run(launch)
    return made


@pytest.mark.parametrize(("row", "name", "count", "kind", "suffix"), ROWS, ids=[row[0] for row in ROWS])
def test_elements_are_computed_one_by_one(
    table: Table, row: str, name: str, count: int, kind: str, suffix: str
) -> None:
    for i, (a, b, c) in enumerate(zip(A.tolist(), B.tolist(), C.tolist(), strict=True)):
        results = list(map(WAYS[name], elements(a, count, kind), elements(b, count, kind)))
        if suffix == ".sat":
            results = [limited(value, 32 // count, kind) for value in results]
        wanted = (c + sum(results)) % (1 << 32) if suffix == ".add" else packed(results)
        assert table.found[row][0][i] == wanted, (hex(a), hex(b))


@pytest.mark.parametrize(("row", "count", "kind"), SETS)
def test_comparisons_give_ones(table: Table, row: str, count: int, kind: str) -> None:
    for i, (a, b) in enumerate(zip(A.tolist(), B.tolist(), strict=True)):
        sides = zip(elements(a, count, kind), elements(b, count, kind), strict=True)
        assert table.found[row][0][i] == packed([int(x < y) for x, y in sides])


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_are_at_least_zero(table: Table, name: str) -> None:
    for i, (a, b) in enumerate(zip(A.tolist(), B.tolist(), strict=True)):
        wanted = packed(list(map(PAIRS[name], elements(a, 2, "s32"), elements(b, 2, "s32"))))
        assert table.found[name][0][i] == wanted
