"""`mma` of integers of 1, 4 and 8 bits on the documented fragments, and of f16 in quad pairs."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.opcodes import Launch, Table

RNG = np.random.default_rng(23)
Array = NDArray[Any]
LANES = np.arange(32)
GROUP, QUAD = LANES // 4, LANES % 4
BITS = {"b1": 1, "s4": 4, "u4": 4, "s8": 8, "u8": 8}
SHAPES = [
    (8, 16, "8"), (8, 32, "4"), (16, 32, "4"), (16, 64, "4"), (8, 128, "1"), (16, 128, "1"), (16, 256, "1"),
]  # fmt: skip


def kinds(bits: str) -> list[tuple[str, str]]:
    return [("b1", "b1")] if bits == "1" else list(product(("s" + bits, "u" + bits), repeat=2))


FORMS = [
    (rows, depth, a, b, word)
    for rows, depth, bits in SHAPES
    for a, b in kinds(bits)
    for word in (("xor.popc", "and.popc") if bits == "1" else ("", ".satfinite"))
]


def name_of(form: tuple[int, int, str, str, str]) -> str:
    rows, depth, a, b, word = form
    head = f"mma.sync.aligned.m{rows}n8k{depth}.row.col"
    return f"{head}.s32.{a}.{b}.s32.{word}" if "popc" in word else f"{head}{word}.s32.{a}.{b}.s32"


def numbers(kind: str, shape: tuple[int, int]) -> NDArray[np.int64]:
    low, high = (-(1 << BITS[kind] - 1), 1 << BITS[kind] - 1) if kind[0] == "s" else (0, 1 << BITS[kind])
    return RNG.integers(low, high, shape)


def packed(elements: list[NDArray[np.int64]], bits: int) -> NDArray[np.uint32]:
    parts = [(values & (1 << bits) - 1) << bits * i for i, values in enumerate(elements)]
    return np.bitwise_or.reduce(np.stack(parts)).astype(np.uint32)


def registers_of_a(matrix: NDArray[np.int64], bits: int) -> list[Array]:
    parts = 32 // bits
    return [
        packed([matrix[GROUP + half, k + QUAD * parts + part] for part in range(parts)], bits)
        for k in range(0, matrix.shape[1], 4 * parts)
        for half in range(0, matrix.shape[0], 8)
    ]


def registers_of_c(matrix: NDArray[np.int64]) -> list[Array]:
    return [
        matrix[GROUP + half, 2 * QUAD + column].astype(np.int32).view(np.uint32)
        for half in range(0, matrix.shape[0], 8)
        for column in (0, 1)
    ]


MATRICES = {
    form: (
        numbers(form[2], form[:2]),
        numbers(form[3], (form[1], 8)),
        RNG.integers(-(2**31), 2**31, (form[0], 8)),
    )
    for form in FORMS
}


def listed(prefix: str, first: int, count: int) -> str:
    return "{" + ", ".join(f"%{prefix}{first + i}" for i in range(count)) + "}"


LAYOUTS = list(product(("row", "col"), ("row", "col"), ("f16", "f32"), ("f16", "f32")))
LAYOUTS = [layout for layout in LAYOUTS if layout[2:] != ("f16", "f32")]
HALVES = {
    layout: [RNG.integers(-8, 9, shape) / 2 for shape in ((4, 8, 4), (4, 4, 8), (4, 8, 8))]
    for layout in LAYOUTS
}
PAIR, PLACE = LANES % 16 // 4, LANES % 4 + LANES // 16 * 4
"""The quad pair of each lane, and its place there: lanes 16 to 31 are the upper half."""
HIGH = LANES // 16 * 4


def quad_pair_operand(matrix: Array, is_outer: bool) -> list[Array]:
    """Registers of A or B: a lane holds a line of the outer index, or four outer places at one k."""
    if is_outer:
        elements = [matrix[PAIR, PLACE, k] for k in range(4)]
    else:
        elements = [matrix[PAIR, HIGH + i, LANES % 4] for i in range(4)]
    halves = [values.astype(np.float16).view(np.uint16) for values in elements]
    return [packed([h.astype(np.int64) for h in halves[i : i + 2]], 16) for i in (0, 2)]


def quad_pair_sums(matrix: Array, kind: str) -> list[Array]:
    """Registers of C or D (PTX ISA, m8n8k4: f16 row by row, f32 in squares of two)."""
    if kind == "f16":
        row = matrix[PAIR, PLACE].astype(np.float16).view(np.uint16).astype(np.int64)
        halves = [row[:, i] for i in range(8)]
        return [packed(halves[i : i + 2], 16) for i in range(0, 8, 2)]
    return [
        matrix[PAIR, (LANES & 1) + (i & 2) + HIGH, (i & 4) + (LANES & 2) + (i & 1)].astype(np.float32)
        for i in range(8)
    ]


def quad_pair_name(layout: tuple[str, ...]) -> str:
    a, b, d, c = layout[0], layout[1], layout[3], layout[2]
    return f"mma.sync.aligned.m8n8k4.{a}.{b}.{d}.f16.f16.{c}"


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    made = Table()
    for form, (a, b, c) in MATRICES.items():
        bits = BITS[form[2]]
        parts = [registers_of_a(a, bits), registers_of_a(b.T, bits), registers_of_c(c)]
        add(made, name_of(form), parts, ["b32"] * len(parts[2]), "b32")
    for layout, (a, b, c) in HALVES.items():
        by_columns = b.transpose(0, 2, 1)
        parts = [
            quad_pair_operand(a, layout[0] == "row"),
            quad_pair_operand(by_columns, layout[1] == "col"),
            quad_pair_sums(c, layout[2]),
        ]
        kind = "f32" if layout[3] == "f32" else "b32"
        add(made, quad_pair_name(layout), parts, [kind] * (8 if layout[3] == "f32" else 4), layout[2])
    made.run(launch)
    return made


def add(made: Table, name: str, parts: list[list[Array]], results: list[str], kind: str) -> None:
    places = np.cumsum([0, *map(len, parts)]).tolist()
    operands = [listed("s", place, len(part)) for place, part in zip(places, parts, strict=False)]
    kinds = ["b32"] * places[2] + ["f32" if kind == "f32" else "b32"] * len(parts[2])
    text = f"{name} {listed('d', 0, len(results))}, {', '.join(operands)};"
    made.add(name, " ".join(results), " ".join(kinds), [r for part in parts for r in part], text)


@pytest.mark.parametrize("form", FORMS, ids=name_of)
def test_small_integers_multiply_exactly(table: Table, form: tuple[int, int, str, str, str]) -> None:
    a, b, c = MATRICES[form]
    exact = (a[:, :, None] ^ b[None]).sum(1) + c if form[4] == "xor.popc" else a @ b + c
    if form[4] == ".satfinite":
        exact = np.clip(exact, -(2**31), 2**31 - 1)
    for found, wanted in zip(table.found[name_of(form)], registers_of_c(exact), strict=True):
        assert np.array_equal(found[:32], wanted)


@pytest.mark.parametrize("layout", LAYOUTS, ids=quad_pair_name)
def test_quad_pairs_multiply_matrices_of_their_own(table: Table, layout: tuple[str, str, str, str]) -> None:
    a, b, c = HALVES[layout]
    wanted = quad_pair_sums(a @ b + c, layout[3])
    for found, register in zip(table.found[quad_pair_name(layout)], wanted, strict=True):
        assert np.array_equal(found[:32], register)
