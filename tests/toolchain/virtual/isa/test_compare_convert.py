"""Known answers of integer comparisons, choices and conversions, against Python and NumPy."""

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(4)
BITS = np.concatenate(
    [
        np.array([0, 1, 0xFF, 0x80, 0x7F, 0xFFFF, 0x8000, 0x7FFF, 0xFFFFFFFF, 0x80000000], np.uint64),
        np.array([1 << 32, 1 << 63, (1 << 64) - 1, (1 << 63) - 1, (1 << 53) + 1, 16777217], np.uint64),
        RNG.integers(0, 1 << 63, THREADS - 16, dtype=np.uint64),
    ]
)
FLOATS = np.concatenate(
    [
        [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 0.49999997, np.inf, -np.inf, np.nan, 255.5, -128.5, 65535.5],
        [
            2147483647.0,
            2147483648.0,
            -2147483649.0,
            4294967295.0,
            9.3e18,
            1.9e19,
            -1e20,
            1e-40,
            3.5e38,
            1e300,
        ],
        RNG.standard_normal(THREADS - 24) * 10.0 ** RNG.integers(-3, 12, THREADS - 24),
    ]
)
INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
REGISTER = {8: "b32", 16: "b16", 32: "b32", 64: "b64"}
ELEMENT = {"b16": np.uint16, "b32": np.uint32, "b64": np.uint64}
CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    "rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil,
}  # fmt: skip


def width(kind: str) -> int:
    return int(kind[1:])


def value_of(bits: int, kind: str) -> int:
    size = width(kind)
    bits &= (1 << size) - 1
    return bits - (1 << size) if kind[0] == "s" and bits >> (size - 1) else bits


def limits(kind: str) -> tuple[int, int]:
    size = width(kind)
    return (-(1 << (size - 1)), (1 << (size - 1)) - 1) if kind[0] == "s" else (0, (1 << size) - 1)


def bits_for(kind: str) -> NDArray[Any]:
    return BITS.astype(ELEMENT[REGISTER[width(kind)]])


def floats_for(kind: str) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        return FLOATS.astype(np.float32 if kind == "f32" else np.float64)


OTHER = np.roll(BITS, 1)
PAIRS = [(to, of) for to in INTEGERS for of in INTEGERS]
SETP = [f"setp.{name}.{kind}" for name in CONDITIONS for kind in INTEGERS[2:]]
COMBINED = """{ .reg .pred q; setp.ne.u32 q, %s2, 0; setp.lt.and.s32 %d0|%d1, %s0, %s1, !q; }"""


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    made = Table()
    for to, of in PAIRS:
        registers = REGISTER[width(to)], REGISTER[width(of)]
        made.add(f"cvt.{to}.{of}", *registers, [bits_for(of)])
        made.add(f"cvt.sat.{to}.{of}", *registers, [bits_for(of)])
    for kind in INTEGERS:
        register = REGISTER[width(kind)]
        for of in ("f32", "f64"):
            made.add(f"cvt.rn.{of}.{kind}", of, register, [bits_for(kind)])
            for mode in ROUNDINGS:
                made.add(f"cvt.{mode}.{kind}.{of}", register, of, [floats_for(of)])
    for mode in ROUNDINGS:
        made.add(f"cvt.{mode}.f32.f32", "f32", "f32", [floats_for("f32")])
    for mode in ("rn", "rz", "rm", "rp"):
        made.add(f"cvt.{mode}.f32.f64", "f32", "f64", [floats_for("f64")])
        made.add(f"cvt.{mode}.f32.s32", "f32", "b32", [bits_for("s32")])
    made.add("cvt.f64.f32", "f64", "f32", [floats_for("f32")])
    made.add("cvt.sat.f32.f32", "f32", "f32", [floats_for("f32")])
    made.add("cvt.rn.bf16.f32", "b16", "f32", [floats_for("f32")])
    made.add("cvt.f32.bf16", "f32", "b16", [bits_for("u16")])
    made.add("cvt.rn.bf16x2.f32", "b32", "f32 f32", [floats_for("f32"), floats_for("f32")[::-1].copy()])
    for name in SETP:
        kind = name.rsplit(".", 1)[1]
        register = REGISTER[width(kind)]
        made.add(name, "pred", f"{register} {register}", [bits_for(kind), OTHER.astype(ELEMENT[register])])
    words, others = bits_for("u32"), OTHER.astype(np.uint32)
    made.add("combined", "pred pred", "b32 b32 b32", [words, others, words & 1], COMBINED)
    made.add("set.lt.u32.s32", "b32", "b32 b32", [words, others])
    made.add("set.lt.f32.s32", "f32", "b32 b32", [words, others])
    made.add("selp.b32", "b32", "b32 b32 pred", [words, others, words & 1])
    made.add("slct.b32.s32", "b32", "b32 b32 b32", [words, others, words])
    made.run(launch)
    return made


def plain(table: Table, name: str) -> list[Any]:
    found: list[Any] = table.found[name][0].tolist()
    return found


@pytest.mark.parametrize(("to", "of"), PAIRS)
def test_integers_are_extended_by_their_own_sign_and_cut(table: Table, to: str, of: str) -> None:
    size = max(width(to), 8 * np.dtype(ELEMENT[REGISTER[width(to)]]).itemsize)
    values = [value_of(bits, of) for bits in BITS.tolist()]
    assert plain(table, f"cvt.{to}.{of}") == [value_of(v, to) % (1 << size) for v in values]
    low, high = limits(to)
    clamped = [max(low, min(high, v)) for v in values]
    assert plain(table, f"cvt.sat.{to}.{of}") == [v % (1 << size) for v in clamped]


@pytest.mark.parametrize("of", ["f32", "f64"])
@pytest.mark.parametrize("kind", INTEGERS)
def test_floats_become_integers_rounded_and_clamped(table: Table, kind: str, of: str) -> None:
    low, high = limits(kind)
    size = 8 * np.dtype(ELEMENT[REGISTER[width(kind)]]).itemsize
    for mode, way in ROUNDINGS.items():
        for value, found in zip(floats_for(of), plain(table, f"cvt.{mode}.{kind}.{of}"), strict=True):
            rounded = 0 if np.isnan(value) else way(value)
            wanted = low if rounded <= low else high if rounded >= high else int(rounded)
            assert found == wanted % (1 << size), (mode, value)


@pytest.mark.parametrize("of", ["f32", "f64"])
@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_become_the_nearest_float(table: Table, kind: str, of: str) -> None:
    values = [value_of(bits, kind) for bits in BITS.tolist()]
    element = np.float32 if of == "f32" else np.float64
    wanted = np.array(values, np.int64 if kind[0] == "s" else np.uint64).astype(element)
    assert np.array_equal(table.found[f"cvt.rn.{of}.{kind}"][0], wanted)


@pytest.mark.parametrize("mode", list(ROUNDINGS))
def test_floats_are_rounded_to_integral_floats(table: Table, mode: str) -> None:
    wanted = ROUNDINGS[mode](floats_for("f32"))
    assert np.array_equal(table.found[f"cvt.{mode}.f32.f32"][0], wanted, equal_nan=True)


@pytest.mark.parametrize("source", ["f64", "s32"])
def test_directed_narrowing_never_passes_the_number(table: Table, source: str) -> None:
    values = floats_for("f64").tolist() if source == "f64" else [value_of(b, "s32") for b in BITS.tolist()]
    for mode in ("rz", "rm", "rp"):
        for value, found in zip(values, table.found[f"cvt.{mode}.f32.{source}"][0], strict=True):
            if not np.isfinite(value) or not np.isfinite(found):
                continue
            got, exact = Fraction(float(found)), Fraction(value)
            downwards = mode == "rm" or (mode == "rz" and value > 0)
            with np.errstate(over="ignore"):
                following = np.nextafter(found, np.float32(np.inf if downwards else -np.inf))
            assert got <= exact if downwards else got >= exact
            assert (
                got == exact
                or not np.isfinite(following)
                or (Fraction(float(following)) > exact) == downwards
            )


def test_a_double_beyond_single_range_becomes_infinite(table: Table) -> None:
    place = FLOATS.tolist().index(1e300)
    assert table.found["cvt.rn.f32.f64"][0][place] == np.inf
    assert table.found["cvt.rz.f32.f64"][0][place] == np.finfo(np.float32).max


def test_bfloat16_rounds_to_nearest_even(table: Table) -> None:
    singles = floats_for("f32")
    wanted = singles.astype(ml_dtypes.bfloat16).view(np.uint16)
    numbers = ~np.isnan(singles)
    found = table.found["cvt.rn.bf16.f32"][0]
    assert np.array_equal(found[numbers], wanted[numbers])
    assert (found[~numbers] == 0x7FFF).all()
    widened = table.found["cvt.f32.bf16"][0]
    halves = bits_for("u16").view(ml_dtypes.bfloat16).astype(np.float32)
    assert np.array_equal(widened, halves, equal_nan=True)


def test_the_first_source_of_a_pair_goes_to_the_upper_half(table: Table) -> None:
    single, pair = table.found["cvt.rn.bf16.f32"][0], table.found["cvt.rn.bf16x2.f32"][0]
    assert np.array_equal(pair >> 16, single)
    assert np.array_equal(pair & 0xFFFF, single[::-1])


@pytest.mark.parametrize("name", SETP)
def test_integer_comparisons(table: Table, name: str) -> None:
    _, condition, kind = name.split(".")
    wanted = [
        int(CONDITIONS[condition](value_of(a, kind), value_of(b, kind)))
        for a, b in zip(BITS.tolist(), OTHER.tolist(), strict=True)
    ]
    assert plain(table, name) == wanted


def test_a_comparison_combines_with_a_predicate_and_has_a_complement(table: Table) -> None:
    words, others = bits_for("u32"), OTHER.astype(np.uint32)
    less, free = words.view(np.int32) < others.view(np.int32), words & 1 == 0
    first, second = table.found["combined"]
    assert np.array_equal(first, (less & free).astype(np.uint32))
    assert np.array_equal(second, (~less & free).astype(np.uint32))


def test_choices(table: Table) -> None:
    words, others = bits_for("u32"), OTHER.astype(np.uint32)
    less = words.view(np.int32) < others.view(np.int32)
    assert np.array_equal(table.found["set.lt.u32.s32"][0], np.where(less, 0xFFFFFFFF, 0).astype(np.uint32))
    assert np.array_equal(table.found["set.lt.f32.s32"][0], less.astype(np.float32))
    assert np.array_equal(table.found["selp.b32"][0], np.where(words & 1, words, others))
    assert np.array_equal(table.found["slct.b32.s32"][0], np.where(words.view(np.int32) >= 0, words, others))


def test_a_partial_warp_computes_the_same(table: Table, launch: Launch) -> None:
    again, threads = Table(rows=table.rows), THREADS - 12
    again.run(lambda ptx, kernel, arrays, _: launch(ptx, kernel, arrays, threads))
    for name, found in again.found.items():
        for part, whole in zip(found, table.found[name], strict=True):
            assert part[:threads].tobytes() == whole[:threads].tobytes(), name


PACKED = ("s16", "u16", "s8", "u8", "s4", "u4", "s2", "u2")
EDGES = np.array(
    [0, 1, -1, 7, 8, -8, -9, 127, 128, -129, 255, 256, 32767, 32768, -32769, 65536, 2**31 - 1, -(2**31)]
)


def test_pairs_that_are_packed_are_clamped(launch: Launch) -> None:
    a = np.resize(EDGES, THREADS).astype(np.int32)
    b, c = RNG.permutation(a), RNG.integers(0, 1 << 32, THREADS).astype(np.uint32)
    made = Table()
    for kind in PACKED:
        third = [] if width(kind) == 16 else [c]
        name = f"cvt.pack.sat.{kind}.s32" + (".b32" if third else "")
        made.add(name, "b32", " ".join(["s32", "s32", *("b32" for _ in third)]), [a, b, *third])
    made.run(launch)
    for name, (found,) in made.found.items():
        kind = name.split(".")[3]
        size = width(kind)
        least, most = (-(1 << size - 1), (1 << size - 1) - 1) if kind[0] == "s" else (0, (1 << size) - 1)
        high, low = (np.clip(x.astype(np.int64), least, most) & (1 << size) - 1 for x in (a, b))
        above = c.astype(np.int64) << 2 * size if size < 16 else 0
        assert (found == ((low | high << size | above) & 0xFFFFFFFF)).all(), name
