"""Sparse products: `mma.sp` of every type, depth and selector on the documented fragments and metadata."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.conftest import Runner
from tests.toolchain.virtual.isa.opcodes import Launch, Table
from tests.toolchain.virtual.isa.test_tensor import (
    DTYPES,
    listed,
    numbers,
    registers_of_a,
    registers_of_b,
    registers_of_c,
)

RNG = np.random.default_rng(29)
Array = NDArray[Any]
BYTES = ("s8", "u8")
FP8 = ("e4m3", "e5m2")
NIBBLES = ("s4", "u4")
FORMS = [
    *[("f32", kind, kind, k, s) for kind in ("f16", "bf16") for k in (16, 32) for s in range(64 // k)],
    *[("f16", "f16", "f16", depth, 1) for depth in (16, 32)],
    *[("f32", "tf32", "tf32", k, s) for k in (8, 16) for s in range(32 // k)],
    *[("s32", a, b, depth, 64 // depth - 1) for a in BYTES for b in BYTES for depth in (32, 64)],
    ("s32", "s8", "s8", 32, 0),
    *[("f32", a, b, 64, 0) for a in FP8 for b in FP8],
    *[("s32", a, b, depth, 128 // depth - 1) for a in NIBBLES for b in NIBBLES for depth in (64, 128)],
    ("s32", "s4", "s4", 64, 0),
]
NAMES = ["_".join(map(str, form)) for form in FORMS]


def places_of(kind: str, depth: int) -> Array:
    """Where along K each stored element of 16 rows stands: one of two, two of four, two pairs of four."""
    if kind in NIBBLES:
        return (2 * places_of("s8", depth // 2)[:, :, None] + np.arange(2)).reshape(16, depth // 2)
    if kind == "tf32":
        return 2 * np.arange(depth // 2) + RNG.integers(0, 2, (16, depth // 2))
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    chosen = pairs[RNG.integers(0, 6, (16, depth // 4))]
    places: Array = (4 * np.arange(depth // 4)[None, :, None] + chosen).reshape(16, depth // 2)
    return places


def metadata_of(kind: str, places: Array, depth: int, selector: int) -> Array:
    """One register in all lanes (PTX ISA 9.0, "Sparse matrix storage"); what is not selected is nonsense."""
    words = RNG.integers(0, 2**32, 32, dtype=np.uint64)
    if kind == "tf32":
        bits = np.where(places % 2 == 1, 0b1110, 0b0100).astype(np.uint64)
    elif kind in NIBBLES:
        return metadata_of("s8", places[:, ::2] // 2, depth // 2, selector)
    else:
        bits = (places[:, 0::2] % 4 | places[:, 1::2] % 4 << 2).astype(np.uint64)
    each = 8 if kind in (*BYTES, *FP8) else 4
    rows = (bits.reshape(16, -1, each) << (4 * np.arange(each)).astype(np.uint64)).sum(2)
    for row, part in np.ndindex(rows.shape):
        if each == 8:
            words[row % 8 * 4 + 2 * selector + 2 * part + row // 8] = rows[row, part]
        else:
            lane, shift = row % 8 * 4 + selector * rows.shape[1] + part, np.uint64(row // 8 * 16)
            words[lane] &= ~(np.uint64(0xFFFF) << shift)
            words[lane] |= rows[row, part] << shift
    return words.astype(np.uint32)


def elements(kind: str, shape: tuple[int, int]) -> Array:
    """Values; those of four bits in bytes, one in each."""
    if kind not in NIBBLES:
        return numbers(kind, shape)
    return (
        RNG.integers(-8, 8, shape).astype(np.int8)
        if kind == "s4"
        else RNG.integers(0, 16, shape).astype(np.uint8)
    )


def packed(values: Array) -> Array:
    """Pairs of four bits along the last axis, the lower one first."""
    bits = values.view(np.uint8) & 15
    return bits[..., ::2] | bits[..., 1::2] << 4


def case_of(form: tuple[str, str, str, int, int]) -> tuple[Array, Array, Array, Array, Array]:
    """The stored A, where it stands, B, C and D."""
    d, a_kind, b_kind, depth, _ = form
    a, places = elements(a_kind, (16, depth // 2)), places_of(a_kind, depth)
    b, c = elements(b_kind, (depth, 8)), numbers(d, (16, 8))
    dense = np.zeros((16, depth))
    np.put_along_axis(dense, places, a.astype(np.float64), 1)
    exact = dense @ b.astype(np.float64) + c.astype(np.float64)
    return a, places, b, c, exact.astype(DTYPES[d])


CASES = {name: case_of(form) for name, form in zip(NAMES, FORMS, strict=True)}


def text_of(form: tuple[str, str, str, int, int], counts: tuple[int, int, int], words: str = "sp") -> str:
    d, a, b, depth, selector = form
    places = np.cumsum([0, *counts])
    operands = [listed("s", int(first), count) for first, count in zip(places, counts, strict=False)]
    opcode = f"mma.{words}.sync.aligned.m16n8k{depth}.row.col.{d}.{a}.{b}.{d}"
    return f"{opcode} {listed('d', 0, counts[2])}, {', '.join(operands)}, %s{places[3]}, {selector};"


def add(
    table: Table, name: str, form: tuple[str, str, str, int, int], arrays: list[Array], words: str = "sp"
) -> None:
    """Add a product of A, B, C and metadata."""
    if form[1] in NIBBLES:
        arrays = [
            packed(arrays[0]),
            np.ascontiguousarray(packed(np.ascontiguousarray(arrays[1].T)).T),
            *arrays[2:],
        ]
    a, b, c = registers_of_a(arrays[0]), registers_of_b(arrays[1]), registers_of_c(arrays[2])
    sources = [*a, *b, *c, arrays[3]]
    kinds = " ".join(["b32"] * len(sources))
    table.add(
        name, " ".join(["b32"] * len(c)), kinds, sources, text_of(form, (len(a), len(b), len(c)), words)
    )


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    made = Table()
    for name, form in zip(NAMES, FORMS, strict=True):
        a, places, b, c, _ = CASES[name]
        words = "sp::ordered_metadata" if form[4] % 2 else "sp"
        add(made, name, form, [a, b, c, metadata_of(form[1], places, form[3], form[4])], words)
    made.run(launch)
    return made


def products(found: list[Array], kind: str) -> Array:
    """D of the first warp, from its registers."""
    expected = np.arange(128).reshape(16, 8)
    order = registers_of_c(expected.astype(DTYPES["f16"] if kind == "f16" else np.int32))
    matrix = np.zeros(128, DTYPES[kind])
    for register, where in zip(found, order, strict=True):
        index = where if kind != "f16" else where.view(np.float16).astype(int)
        matrix[index] = register[:32].view(DTYPES[kind])
    return matrix.reshape(16, 8)


@pytest.mark.parametrize("name", NAMES)
def test_sparse_products(table: Table, name: str) -> None:
    exact = CASES[name][4]
    assert (products(table.found[name], name.split("_")[0]) == exact).all()


def test_what_is_left_out_is_not_multiplied(launch: Launch) -> None:
    form = ("f32", "bf16", "bf16", 32, 0)
    places = np.tile(np.arange(0, 32, 2), (16, 1))
    a = np.ones((16, 16), DTYPES["bf16"])
    b = np.where(np.arange(32)[:, None] % 2 == 1, np.inf, np.ones((32, 8))).astype(DTYPES["bf16"])
    made = Table()
    add(made, "inf", form, [a, b, np.zeros((16, 8), np.float32), metadata_of("bf16", places, 32, 0)])
    made.run(launch)
    assert (products(made.found["inf"], "f32") == 16).all()


def test_infinities_nans_and_signs_of_zero(launch: Launch) -> None:
    form = ("f32", "f16", "f16", 16, 2)
    a = np.zeros((16, 8), np.float16)
    a[0, 0], a[1, 0], a[2, 0], a[3, 0] = np.inf, -np.inf, np.nan, -0.0
    places = np.tile([0, 3, 4, 7, 8, 11, 12, 15], (16, 1))
    made = Table()
    b, c = np.ones((16, 8), np.float16), np.full((16, 8), -0.0, np.float32)
    add(made, "special", form, [a, b, c, metadata_of("f16", places, 16, 2)])
    made.run(launch)
    found = products(made.found["special"], "f32")
    np.testing.assert_array_equal(found[:3, 0], [np.inf, -np.inf, np.nan])
    assert (found[3:] == 0).all()


def test_saturating_sums_of_bytes(launch: Launch) -> None:
    made = Table()
    places, full = places_of("u8", 64), np.full((16, 32), 255, np.uint8)
    start = np.full((16, 8), 2**31 - 7, np.int32)
    arrays: list[Array] = [full, np.full((64, 8), 255, np.uint8), start, metadata_of("u8", places, 64, 0)]
    for limit in ("", ".satfinite"):
        add(made, f"sum{limit}", ("s32", "u8", "u8", 64, 0), arrays)
        row = made.rows[f"sum{limit}"]
        row.text = row.text.replace(".row.col", f".row.col{limit}")
    made.run(launch)
    assert (products(made.found["sum.satfinite"], "s32") == 2**31 - 1).all()
    assert (products(made.found["sum"], "s32") == 2**31 - 7 + 32 * 255 * 255 - 2**32).all()


def test_metadata_that_tf32_may_not_have_is_a_fault(runner: Runner) -> None:
    made = Table()
    form = ("f32", "tf32", "tf32", 8, 0)
    arrays = [
        numbers("tf32", (16, 4)),
        numbers("tf32", (8, 8)),
        numbers("f32", (16, 8)),
        np.zeros(32, np.uint32),
    ]
    add(made, "bad", form, arrays)
    faults: list[Any] = []
    made.run(lambda *launch: faults.append(runner.launch(*launch)))
    assert "metadata of a sparse product" in faults[0].message
