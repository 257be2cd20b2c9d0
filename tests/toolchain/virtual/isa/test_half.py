"""Known answers of f16 and bf16 arithmetic: exact rational results rounded once."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(2)
DTYPES: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
PRECISION = {"f16": (11, -14, 15), "bf16": (8, -126, 127)}
"""Significant bits, least and greatest exponent."""
Bits = NDArray[np.uint16]
OUTSIDE = 0x7FF7
"""The NaN of what a tensor copy finds outside of its tensor."""


def limits(kind: str) -> Any:
    finfo: Any = ml_dtypes.finfo
    return finfo(DTYPES[kind])


def edges(kind: str) -> Bits:
    info = limits(kind)
    values = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 1.5, -2.0, 0.5, 3.0]
    values += [float(info.max), -float(info.max), float(info.smallest_normal), float(info.smallest_subnormal)]
    return np.append(np.array(values, DTYPES[kind]).view(np.uint16), np.uint16(OUTSIDE))


def sources(kind: str) -> list[NDArray[Any]]:
    """Edge values against each other, then neighbours of 1 (many ties), then random bits."""
    near_one = np.array([1.0], DTYPES[kind]).view(np.uint16)[0] + RNG.integers(0, 200, 48).astype(np.uint16)
    first = np.concatenate([np.resize(edges(kind), 64), near_one, RNG.integers(0, 1 << 16, 16)])
    return [np.concatenate([RNG.permutation(first[:64]), RNG.permutation(first[64:])]).astype(np.uint16)
            for _ in range(3)]  # fmt: skip


def pairs(kind: str) -> list[NDArray[Any]]:
    low, high = sources(kind), sources(kind)
    return [h.astype(np.uint32) << 16 | lo.astype(np.uint32) for lo, h in zip(low, high, strict=True)]


def value(bits: int, kind: str) -> float:
    return float(np.array([bits], np.uint16).view(DTYPES[kind])[0])


def encoded(number: float, kind: str) -> int:
    if math.isnan(number):
        return 0x7FFF
    with np.errstate(over="ignore"):
        return int(np.array([number]).astype(DTYPES[kind]).view(np.uint16)[0])


def nearest(exact: Fraction, kind: str) -> int:
    """Round to nearest, ties to even, by integer arithmetic."""
    bits, least, greatest = PRECISION[kind]
    sign, size = (0x8000, -exact) if exact < 0 else (0, exact)
    if size == 0:
        return sign
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** exponent > size:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, least) - bits + 1)
    rounded = round(size / unit) * unit
    if rounded >= Fraction(2) ** (greatest + 1):
        return sign | encoded(math.inf, kind)
    return sign | encoded(float(rounded), kind)


Compute = Callable[[list[float]], Fraction | float]
Reference = Callable[[list[int], str], int]


def rounded(compute: Callable[..., Any], plain: Callable[..., float]) -> Reference:
    """`compute` on fractions; `plain` on floats where an operand is not finite or the result is zero."""

    def reference(bits: list[int], kind: str) -> int:
        values = [value(b, kind) for b in bits]
        if all(math.isfinite(v) for v in values):
            exact = compute(*[Fraction(v) for v in values])
            if exact != 0:
                return nearest(exact, kind)
        with np.errstate(all="ignore"):
            return encoded(float(plain(*[np.float64(v) for v in values])), kind)

    return reference


def extreme(choose: Callable[[float, float], float], nan_wins: bool) -> Reference:
    def reference(bits: list[int], kind: str) -> int:
        values = [value(b, kind) for b in bits]
        numbers = [v for v in values if not math.isnan(v)]
        if not numbers or (nan_wins and len(numbers) < 2):
            return 0x7FFF
        if len(numbers) == 2 and numbers[0] == numbers[1] == 0:
            signs = [math.copysign(1, v) for v in numbers]
            return encoded(math.copysign(0.0, choose(*signs)), kind)
        return encoded(numbers[0] if len(numbers) == 1 else choose(*numbers), kind)

    return reference


def limited(reference: Reference, low: float, high: float, nan: int) -> Reference:
    def clamped(bits: list[int], kind: str) -> int:
        result = reference(bits, kind)
        number = value(result, kind)
        if math.isnan(number):
            return nan
        return encoded(0.0, kind) if number <= low else encoded(high, kind) if number > high else result

    return clamped


def zero_outside(reference: Reference) -> Reference:
    """A factor from outside a tensor makes zero of the result; an addend does not."""
    return lambda bits, kind: 0 if OUTSIDE in bits[:2] else reference(bits, kind)


ADD = rounded(lambda a, b: a + b, lambda a, b: a + b)
SUB = rounded(lambda a, b: a - b, lambda a, b: a - b)
MUL = rounded(lambda a, b: a * b, lambda a, b: a * b)
FMA = rounded(lambda a, b, c: a * b + c, lambda a, b, c: a * b + c)
OPERATIONS: dict[str, tuple[int, Reference]] = {
    "add.{}": (2, ADD),
    "sub.rn.{}": (2, SUB),
    "mul.{}": (2, MUL),
    "fma.rn.{}": (3, FMA),
    "fma.rn.relu.{}": (3, limited(FMA, 0.0, math.inf, 0x7FFF)),
    "fma.rn.oob.{}": (3, zero_outside(FMA)),
    "fma.rn.oob.relu.{}": (3, zero_outside(limited(FMA, 0.0, math.inf, 0x7FFF))),
    "add.sat.{}": (2, limited(ADD, 0.0, 1.0, 0)),
    "fma.rn.sat.{}": (3, limited(FMA, 0.0, 1.0, 0)),
    "neg.{}": (1, lambda bits, kind: bits[0] ^ 0x8000),
    "abs.{}": (1, lambda bits, kind: bits[0] & 0x7FFF),
    "min.{}": (2, extreme(min, False)),
    "max.{}": (2, extreme(max, False)),
    "min.NaN.{}": (2, extreme(min, True)),
    "max.NaN.{}": (2, extreme(max, True)),
}
CASES = [
    (name.format(kind + pair), kind, pair, count, reference)
    for name, (count, reference) in OPERATIONS.items()
    for kind in DTYPES
    for pair in ("", "x2")
    if not (kind == "bf16" and ".sat" in name)
]
COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a < b or a > b,
    "lt": lambda a, b: a < b,
    "ge": lambda a, b: a >= b,
    "gtu": lambda a, b: not a <= b,
    "neu": lambda a, b: a != b,
    "num": lambda a, b: not (math.isnan(a) or math.isnan(b)),
    "nan": lambda a, b: math.isnan(a) or math.isnan(b),
}  # fmt: skip


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    cases = Table()
    scalar, double = {k: sources(k) for k in DTYPES}, {k: pairs(k) for k in DTYPES}
    for name, kind, pair, count, _ in CASES:
        given = (double if pair else scalar)[kind][:count]
        cases.add(name, kind + pair, " ".join([kind + pair] * count), given)
    for kind in DTYPES:
        for name in COMPARISONS:
            a, b = scalar[kind][:2]
            cases.add(f"setp.{name}.{kind}", "pred pred", f"{kind} {kind}", [a, b],
                      f"setp.{name}.{kind} %d0|%d1, %s0, %s1;")  # fmt: skip
            a, b = double[kind][:2]
            cases.add(f"set.{name}.{kind}x2.{kind}x2", "b32", "b32 b32", [a, b])
            cases.add(f"setp.{name}.{kind}x2", "pred pred", "b32 b32", [a, b],
                      f"setp.{name}.{kind}x2 %d0|%d1, %s0, %s1;")  # fmt: skip
        for name in ("ex2.approx", "tanh.approx"):
            ftz = ".ftz" if (name, kind) == ("ex2.approx", "bf16") else ""
            cases.add(f"{name}{ftz}.{kind}", kind, kind, [scalar[kind][0]])
            cases.add(f"{name}{ftz}.{kind}x2", "b32", "b32", [double[kind][0]])
    cases.run(launch)
    return cases


def halves(array: Any, pair: str) -> list[list[int]]:
    """The values of each thread: one, or the lower and the upper half."""
    return [[int(v) & 0xFFFF, int(v) >> 16] if pair else [int(v)] for v in array]


def is_nan(bits: int, kind: str) -> bool:
    return math.isnan(value(bits, kind))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_is_rounded_once(table: Table, case: Any) -> None:
    name, kind, pair, _, reference = case
    given = [halves(source, pair) for source in table.rows[name].sources]
    for thread, found in enumerate(halves(table.found[name][0], pair)):
        for half, bits in enumerate(found):
            inputs = [source[thread][half] for source in given]
            expected = reference(inputs, kind)
            assert bits == expected or (is_nan(bits, kind) and is_nan(expected, kind)), (
                [value(b, kind) for b in inputs],
                value(bits, kind),
                value(expected, kind),
            )


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_know_nan(table: Table, name: str, kind: str) -> None:
    holds, one = COMPARISONS[name], encoded(1.0, kind)
    row = table.rows[f"setp.{name}.{kind}"]
    expected = [holds(value(int(a), kind), value(int(b), kind)) for a, b in zip(*row.sources, strict=True)]
    yes, no = table.found[f"setp.{name}.{kind}"]
    assert [bool(v) for v in yes] == expected
    assert [not v for v in no] == expected
    pair = f"{name}.{kind}x2"
    a, b = (halves(source, "x2") for source in table.rows[f"setp.{pair}"].sources)
    both = [[holds(value(a[t][h], kind), value(b[t][h], kind)) for h in range(2)] for t in range(THREADS)]
    low, high = table.found[f"setp.{pair}"]
    assert [[bool(x), bool(y)] for x, y in zip(low, high, strict=True)] == both
    packed = halves(table.found[f"set.{pair}.{kind}x2"][0], "x2")
    assert packed == [[one if h else 0 for h in pair_of] for pair_of in both]


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("pair", ["", "x2"])
@pytest.mark.parametrize("name", ["ex2", "tanh"])
def test_functions_are_near(table: Table, name: str, kind: str, pair: str) -> None:
    full = next(row for row in table.rows if row.startswith(name) and row.endswith("." + kind + pair))
    function: Callable[[Any], Any] = np.exp2 if name == "ex2" else np.tanh
    given = np.array(halves(table.rows[full].sources[0], pair), np.uint16).view(DTYPES[kind])
    found = np.array(halves(table.found[full][0], pair), np.uint16).view(DTYPES[kind])
    info = limits(kind)
    with np.errstate(all="ignore"):
        exact = function(given.astype(np.float64))
        best, wide = exact.astype(DTYPES[kind]).astype(np.float64), found.astype(np.float64)
        unit = np.maximum(np.abs(exact) * float(info.eps), float(info.smallest_subnormal))
        good = (np.abs(wide - exact) <= 1.01 * unit) | (wide == best) | (np.isnan(wide) & np.isnan(best))
    good |= (np.abs(exact) < float(info.smallest_normal)) & (wide == 0)
    assert good.all(), (given[~good], found[~good], exact[~good])
