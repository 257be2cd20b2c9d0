"""Known answers of conversions to and from narrow floats, in every rounding mode."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(3)
NARROW: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
GRID = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "tf32": (11, -126, 127), "f32": (24, -126, 127)}
"""Significant bits, least and greatest exponent."""
INTEGERS = {f"{sign}{bits}": (sign == "s", bits) for sign in "us" for bits in (16, 32, 64)}
ROUND: dict[str, Callable[[Fraction], int]] = {
    "rn": round,
    "rni": round,
    "rz": math.trunc,
    "rzi": math.trunc,
    "rm": math.floor,
    "rmi": math.floor,
    "rp": math.ceil,
    "rpi": math.ceil,
    "rna": lambda exact: math.floor(abs(exact) + Fraction(1, 2)) * (1 if exact > 0 else -1),
}


def largest_of(dtype: Any) -> float:
    finfo: Any = ml_dtypes.finfo
    return float(finfo(dtype).max)


def on_grid(number: float | int, kind: str, mode: str) -> float:
    """`number` rounded to `kind` by exact arithmetic; beyond the largest, infinity or the largest."""
    if isinstance(number, float) and not math.isfinite(number):
        return number
    exact, (bits, least, greatest) = Fraction(number), GRID[kind]
    if exact == 0:
        return float(number)
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    unit = Fraction(2) ** (max(exponent, least) - bits + 1)
    rounded = ROUND[mode](exact / unit) * unit
    if abs(rounded) >= Fraction(2) ** (greatest + 1):
        inward = mode == "rz" or (mode == "rm" and number > 0) or (mode == "rp" and number < 0)
        largest = (2 - Fraction(2) ** (1 - bits)) * Fraction(2) ** greatest
        return math.copysign(float(largest) if inward else math.inf, number)
    return float(rounded) or math.copysign(0.0, number)


def floats(dtype: Any) -> NDArray[Any]:
    """Edges, midpoints of the narrow grids and their neighbours, values of all sizes."""
    edges = [
        0.0,
        -0.0,
        math.inf,
        -math.inf,
        math.nan,
        65504.0,
        65519.9,
        65520.0,
        -1e6,
        1e-30,
        1e-40,
        6e-8,
        -3e-8,
    ]
    ties = np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-11, -(1 + 3 * 2.0**-11), 2.0**-25, 3 * 2.0**-25])
    tiny = np.finfo(dtype).eps
    middle = np.concatenate([ties, ties * (1 + tiny), ties * (1 - tiny)])
    rest = RNG.standard_normal(THREADS - len(edges) - len(middle)) * 10.0 ** RNG.uniform(-9, 6, 1)
    with np.errstate(over="ignore"):
        return np.concatenate([edges, middle, rest]).astype(dtype)


def integers(name: str) -> NDArray[Any]:
    """Edges, neighbours of bf16 and f16 midpoints near 2^16 and 2^60, values of all sizes."""
    signed, bits = INTEGERS[name]
    dtype = np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
    info = np.iinfo(dtype)
    middle = [base + step for base in (257, 771, 2049, 65520, (257 << 52)) for step in (-1, 0, 1)]
    edges = [v for v in [0, 1, -1, info.min, info.max, *middle] if info.min <= v <= info.max]
    rest = RNG.integers(info.min, info.max, THREADS - len(edges), dtype=dtype) >> RNG.integers(
        0, bits, THREADS - len(edges)
    ).astype(dtype)
    return np.concatenate([np.array(edges, dtype), rest])


def narrow_values(kind: str) -> NDArray[Any]:
    edges = np.array([0, -0.0, math.nan, math.inf, -math.inf, 0.5, 1.5, 2.5, -0.5, -1.5, 300.7, -200.2, 1e-7])
    random = (RNG.standard_normal(THREADS - len(edges)) * 10.0 ** RNG.uniform(-3, 5, 1)).astype(np.float32)
    with np.errstate(over="ignore"):
        return np.concatenate([edges, random]).astype(NARROW[kind])


WIDE = {"f32": floats(np.float32), "f64": floats(np.float64), **{n: integers(n) for n in INTEGERS}}
TO_NARROW = [
    (f"cvt.{mode}.{kind}.{source}", kind, mode, source)
    for kind in NARROW
    for source in WIDE
    for mode in (("rn",) if source == "f64" else ("rn", "rz", "rm", "rp"))
]
TO_SINGLE = [
    (f"cvt.{mode}.f32.{source}", "f32", mode, source)
    for source in ("s64", "u64")
    for mode in ("rz", "rm", "rp")
]
FROM_NARROW = [
    (f"cvt.{mode}.{target}.{kind}", kind, mode, target)
    for kind in NARROW
    for target in (*INTEGERS, "u8", "s8")
    for mode in ("rni", "rzi", "rmi", "rpi")
]
TO_WHOLE = [
    (f"cvt.{mode}.{kind}.{kind}", kind, mode) for kind in NARROW for mode in ("rni", "rzi", "rmi", "rpi")
]
FP8: dict[str, Any] = {"e4m3x2": ml_dtypes.float8_e4m3fn, "e5m2x2": ml_dtypes.float8_e5m2}
HALVES = {kind: narrow_values(kind) for kind in NARROW}
A, B = floats(np.float32), RNG.permutation(floats(np.float32))


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    cases = Table()
    for name, kind, _, source in [*TO_NARROW, *TO_SINGLE]:
        cases.add(name, kind, source, [WIDE[source]])
    for name, kind, _, target in FROM_NARROW:
        cases.add(name, target, kind, [HALVES[kind]])
    for name, kind, _ in TO_WHOLE:
        cases.add(name, kind, kind, [HALVES[kind]])
    for kind, values in HALVES.items():
        cases.add(f"cvt.f32.{kind}", "f32", kind, [values])
    cases.add("cvt.f64.f16", "f64", "f16", [HALVES["f16"]])
    for kind in NARROW:
        for words in ("rn", "rz", "rn.relu", "rn.satfinite"):
            cases.add(f"cvt.{words}.{kind}x2.f32", "b32", "f32 f32", [A, B])
    for mode in ("rna", "rn", "rz"):
        cases.add(f"cvt.{mode}.tf32.f32", "b32", "f32", [A])
    packed = (HALVES["f16"].view(np.uint16).astype(np.uint32) << 16) | HALVES["f16"][::-1].view(np.uint16)
    everything = np.arange(2 * THREADS, dtype=np.uint8).view(np.uint16)
    for kind in FP8:
        cases.add(f"cvt.rn.satfinite.{kind}.f32", kind, "f32 f32", [A, B])
        cases.add(f"cvt.rn.satfinite.relu.{kind}.f32", kind, "f32 f32", [A, B])
        cases.add(f"cvt.rn.satfinite.{kind}.f16x2", kind, "b32", [packed])
        cases.add(f"cvt.rn.f16x2.{kind}", "b32", kind, [everything])
    cases.run(launch)
    return cases


def same(found: NDArray[Any], expected: list[float] | NDArray[Any]) -> None:
    wanted = np.asarray(expected, np.float64)
    wide = found.astype(np.float64)
    good = (wide == wanted) & (np.signbit(wide) == np.signbit(wanted)) | (np.isnan(wide) & np.isnan(wanted))
    assert good.all(), (wide[~good], wanted[~good])


@pytest.mark.parametrize("case", TO_NARROW, ids=lambda case: case[0])
def test_wide_to_narrow_is_rounded_once(table: Table, case: Any) -> None:
    name, kind, mode, source = case
    found = table.found[name][0].view(NARROW[kind])
    same(found, [on_grid(value, kind, mode) for value in WIDE[source].tolist()])


@pytest.mark.parametrize("case", TO_SINGLE, ids=lambda case: case[0])
def test_long_integers_are_rounded_once(table: Table, case: Any) -> None:
    name, kind, mode, source = case
    same(table.found[name][0], [on_grid(value, kind, mode) for value in WIDE[source].tolist()])


@pytest.mark.parametrize("case", FROM_NARROW, ids=lambda case: case[0])
def test_narrow_to_integer_rounds_and_clamps(table: Table, case: Any) -> None:
    name, kind, mode, target = case
    signed, bits = INTEGERS.get(target, (target == "s8", 8))
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)

    def expected(value: float) -> int:
        if math.isnan(value):
            return 0
        infinite = high if value > 0 else low
        whole: int = ROUND[mode](Fraction(value)) if math.isfinite(value) else infinite
        clamped: int = min(max(whole, low), high)
        return clamped & ((1 << (32 if bits == 8 else bits)) - 1)

    assert table.found[name][0].tolist() == [expected(float(value)) for value in HALVES[kind]]


@pytest.mark.parametrize("case", TO_WHOLE, ids=lambda case: case[0])
def test_narrow_to_whole_number(table: Table, case: Any) -> None:
    name, kind, mode = case
    numpy_way: Any = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}[mode]
    same(table.found[name][0].view(NARROW[kind]), numpy_way(HALVES[kind].astype(np.float64)))


def test_narrow_to_wide_is_exact(table: Table) -> None:
    for kind, values in HALVES.items():
        same(table.found[f"cvt.f32.{kind}"][0], values.astype(np.float64))
    same(table.found["cvt.f64.f16"][0], HALVES["f16"].astype(np.float64))


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("words", ["rn", "rz", "rn.relu", "rn.satfinite"])
def test_first_source_goes_to_the_upper_half(table: Table, kind: str, words: str) -> None:
    packed = table.found[f"cvt.{words}.{kind}x2.f32"][0].view(np.uint16).reshape(-1, 2)
    largest = largest_of(NARROW[kind])
    for half, source in ((1, A), (0, B)):
        expected = [on_grid(value, kind, words[:2]) for value in source.tolist()]
        if "relu" in words:
            expected = [value if math.isnan(value) else max(value, 0.0) + 0.0 for value in expected]
        if "satfinite" in words:
            expected = [v if math.isnan(v) else min(max(v, -largest), largest) for v in expected]
        found = packed[:, half].copy().view(NARROW[kind])
        same(found + np.array(0, NARROW[kind]) if "relu" in words else found, expected)


@pytest.mark.parametrize("mode", ["rna", "rn", "rz"])
def test_tf32_keeps_ten_fraction_bits(table: Table, mode: str) -> None:
    found = table.found[f"cvt.{mode}.tf32.f32"][0].view(np.float32)
    same(found, [on_grid(value, "tf32", mode) for value in A.tolist()])


@pytest.mark.parametrize("kind", FP8)
def test_fp8_saturates(table: Table, kind: str) -> None:
    largest = largest_of(FP8[kind])

    def expected(values: NDArray[Any]) -> NDArray[Any]:
        wide = np.clip(values.astype(np.float32), -largest, largest)
        return np.array([FP8[kind](v) for v in wide]).astype(np.float64)

    found = table.found[f"cvt.rn.satfinite.{kind}.f32"][0].view(np.uint8).view(FP8[kind]).reshape(-1, 2)
    same(found[:, 1], expected(A))
    same(found[:, 0], expected(B))
    found = table.found[f"cvt.rn.satfinite.relu.{kind}.f32"][0].view(np.uint8).view(FP8[kind]).reshape(-1, 2)
    same(found[:, 1], expected(np.where(A <= 0, np.float32(0), A)))
    found = table.found[f"cvt.rn.satfinite.{kind}.f16x2"][0].view(np.uint8).view(FP8[kind]).reshape(-1, 2)
    same(found[:, 1], expected(HALVES["f16"]))
    same(found[:, 0], expected(HALVES["f16"][::-1]))


@pytest.mark.parametrize("kind", FP8)
def test_every_fp8_widens_exactly(table: Table, kind: str) -> None:
    found = table.found[f"cvt.rn.f16x2.{kind}"][0].view(np.float16)
    same(found, np.arange(2 * THREADS, dtype=np.uint8).view(FP8[kind]).astype(np.float64))
