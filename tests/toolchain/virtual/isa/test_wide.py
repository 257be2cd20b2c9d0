"""128-bit registers, pairs of f32, f32 sums of narrow terms, narrow atomics, and conversions at the edges."""

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.conftest import Runner
from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(41)
Array = NDArray[Any]
NARROW: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
EDGES = [0.0, -0.0, 1.0, -1.5, 1e-40, -1e-42, 3e38, -3e38, np.inf, -np.inf, 0.1, 1 + 2**-23]
FLOATS = np.resize(np.array(EDGES, np.float32), THREADS)
OTHER = RNG.permutation(FLOATS)
THIRD = RNG.permutation(FLOATS)
LONGS = np.resize(
    np.array([0, 1, -1, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**62 + 3, 12345], np.int64), THREADS
)


def pairs(low: Array, high: Array) -> NDArray[np.uint64]:
    return low.view(np.uint32).astype(np.uint64) | high.view(np.uint32).astype(np.uint64) << np.uint64(32)


def halves(pair: Array) -> tuple[Array, Array]:
    low = (pair & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.float32)
    return low, (pair >> np.uint64(32)).astype(np.uint32).view(np.float32)


def narrow(kind: str) -> Array:
    values = np.array([0.0, -0.0, 1.0, -2.5, 65504.0, 6e-8, 0.1, -0.3], np.float32).astype(NARROW[kind])
    return np.resize(values, THREADS)


PAIRS = [f"{name}.f32x2" for name in ("add.rn", "sub.rn", "mul.rn", "mul.rn.ftz", "fma.rn")]
MIXED = [(name, kind) for name in ("add.f32", "sub.sat.f32", "fma.rn.f32", "add.rz.f32") for kind in NARROW]
FROM_LONG = [f"cvt.{mode}.f64.{kind}" for mode in ("rn", "rz", "rm", "rp") for kind in ("s64", "u64")]
MAGNITUDES = {"max.abs.f32": np.fmax, "min.NaN.abs.f32": np.minimum}
SET_HALF = [f"set.lt.{kind}.f32" for kind in NARROW]


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    made = Table()
    both = [pairs(FLOATS, OTHER), pairs(OTHER, THIRD), pairs(THIRD, FLOATS)]
    for name in PAIRS:
        count = 3 if name.startswith("fma") else 2
        made.add(name, "b64", " ".join(["b64"] * count), both[:count])
    for name, kind in MIXED:
        terms = 2 if name.startswith("fma") else 1
        values = [narrow(kind).view(np.uint16), RNG.permutation(narrow(kind)).view(np.uint16)][:terms]
        made.add(f"{name}.{kind}", "f32", " ".join([kind] * terms + ["f32"]), [*values, OTHER])
    for name in FROM_LONG:
        made.add(name, "f64", name[-3:], [LONGS])
    for name in MAGNITUDES:
        made.add(name, "f32", "f32 f32 f32", [FLOATS, OTHER, THIRD])
    made.add("cvt.rn.ftz.f16.f32", "f16", "f32", [FLOATS])
    made.add("cvt.ftz.sat.f32.f16", "f32", "f16", [narrow("f16").view(np.uint16)])
    made.add("cvt.bf16.bf16", "bf16", "bf16", [narrow("bf16").view(np.uint16)])
    for name in SET_HALF:
        made.add(name, name[7:].split(".")[0], "f32 f32", [FLOATS, OTHER])
    swap = "{ .reg .b128 q; mov.b128 q, {%s0, %s1}; mov.b128 {%d1, %d0}, q; }"
    made.add("mov.b128", "b64 b64", "b64 b64", [LONGS, LONGS[::-1]], swap)
    made.run(launch)
    return made


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_of_floats_are_computed_half_by_half(table: Table, name: str) -> None:
    sources = [halves(source) for source in table.rows[name].sources]
    for found, operands in zip(halves(table.found[name][0]), zip(*sources, strict=True), strict=True):
        a, b, *c = (operand.astype(np.float64) for operand in operands)
        with np.errstate(all="ignore"):
            if name.startswith("fma"):
                wanted = [rounded_sum(x, y, z) for x, y, z in zip(a, b, c[0], strict=True)]
            else:
                if "ftz" in name:
                    a, b = (np.where(np.abs(v) < 2.0**-126, np.copysign(0, v), v) for v in (a, b))
                exact = {"add": a + b, "sub": a - b, "mul": a * b}[name[:3]]
                wanted = exact.astype(np.float32)
                if "ftz" in name:
                    wanted = np.where(np.abs(wanted) < 2.0**-126, np.copysign(0, wanted), wanted)
        assert same(found, np.array(wanted, np.float32))


def rounded_sum(x: float, y: float, z: float) -> np.float32:
    """x * y + z, rounded once."""
    if not np.isfinite([x, y, z]).all():
        return np.float32(x * y + z)
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        return np.float32(x * y + z)
    nearest = np.float32(float(exact))
    around = [np.nextafter(nearest, np.float32(way)) for way in (-np.inf, np.inf)]
    choices = [v for v in (nearest, *around) if np.isfinite(v)] or [nearest]
    if abs(exact) >= Fraction(2) ** 128 - Fraction(2) ** 103:
        return np.float32(np.inf if exact > 0 else -np.inf)
    return min(choices, key=lambda v: (abs(Fraction(float(v)) - exact), int(v.view(np.uint32)) & 1))


def truncated_sum(x: float, y: float) -> np.float32:
    """x + y, rounded towards zero."""
    nearest = np.float32(x + float(y))
    if not np.isfinite([x, y]).all():
        return nearest
    exact = Fraction(float(x)) + Fraction(float(y))
    is_beyond = not np.isfinite(nearest) or abs(Fraction(float(nearest))) > abs(exact)
    return np.nextafter(nearest, np.float32(0)) if is_beyond else nearest


def same(found: Array, wanted: Array) -> bool:
    nan = np.isnan(found) & np.isnan(wanted)
    return bool(np.all(nan | (found.view(np.uint32) == wanted.view(np.uint32))))


@pytest.mark.parametrize("name", MAGNITUDES)
def test_magnitudes_are_compared_three_at_a_time(table: Table, name: str) -> None:
    choose = MAGNITUDES[name]
    wanted = choose(choose(abs(FLOATS), abs(OTHER)), abs(THIRD))
    assert same(table.found[name][0], wanted)


@pytest.mark.parametrize(("name", "kind"), MIXED)
def test_narrow_terms_are_summed_in_f32(table: Table, name: str, kind: str) -> None:
    *terms, last = table.rows[f"{name}.{kind}"].sources
    values = [term.view(NARROW[kind]).astype(np.float64) for term in terms]
    with np.errstate(all="ignore"):
        exact = values[0] * values[1] if len(values) == 2 else values[0]
        total = exact - last if "sub" in name else exact + last
        wanted = total.astype(np.float32)
    if "rz" in name:
        wanted = np.array(list(map(truncated_sum, values[0], last)), np.float32)
    if "sat" in name:
        wanted = np.where(wanted > 0, np.minimum(wanted, 1), 0).astype(np.float32)
    assert same(table.found[f"{name}.{kind}"][0], wanted.astype(np.float32))


@pytest.mark.parametrize("name", FROM_LONG)
def test_long_integers_round_in_every_direction(table: Table, name: str) -> None:
    mode, kind = name.split(".")[1], name[-3:]
    numbers = LONGS.tolist() if kind == "s64" else LONGS.view(np.uint64).tolist()
    for number, found in zip(numbers, table.found[name][0].tolist(), strict=True):
        below = {"rm": found <= number, "rp": found >= number, "rz": abs(found) <= abs(number), "rn": True}
        assert below[mode]
        nearest = float(number)
        assert found in (nearest, np.nextafter(nearest, -np.inf), np.nextafter(nearest, np.inf))
        assert mode != "rn" or found == nearest
        assert int(nearest) != number or found == nearest


def test_conversions_flush_what_is_subnormal(table: Table) -> None:
    flushed = np.where(np.abs(FLOATS) < 2.0**-126, np.copysign(np.float32(0), FLOATS), FLOATS)
    with np.errstate(over="ignore"):
        rounded = flushed.astype(np.float16)
    assert np.array_equal(table.found["cvt.rn.ftz.f16.f32"][0], rounded.view(np.uint16))
    wanted = np.clip(narrow("f16").astype(np.float32), 0, 1)
    assert np.array_equal(table.found["cvt.ftz.sat.f32.f16"][0], wanted)
    assert np.array_equal(table.found["cvt.bf16.bf16"][0], narrow("bf16").view(np.uint16))


@pytest.mark.parametrize("name", SET_HALF)
def test_set_gives_one_in_a_narrow_type(table: Table, name: str) -> None:
    dtype = NARROW[name[7:].split(".")[0]]
    assert np.array_equal(table.found[name][0].view(dtype), (FLOATS < OTHER).astype(dtype))


def test_wide_registers_are_packed_and_unpacked(table: Table) -> None:
    second, first = table.found["mov.b128"]
    assert np.array_equal(first.view(np.int64), LONGS)
    assert np.array_equal(second.view(np.int64), LONGS[::-1])


HEAD = ".version 9.0\n.target sm_100\n.address_size 64\n"
WIDE_ATOMICS = (
    HEAD
    + """
.visible .entry wide(.param .u64 cells_at, .param .u64 old_at)
{
.shared .align 16 .b8 held[16];
.reg .b64 cells, old, low, high, thread, place;
.reg .b32 lane;
.reg .b128 given, before, expected, mine;
.reg .pred p;
ld.param.u64 cells, [cells_at];
ld.param.u64 old, [old_at];
mov.u32 lane, %tid.x;
cvt.u64.u32 thread, lane;
mul.lo.u64 place, thread, 32;
add.u64 old, old, place;
mov.b128 given, {thread, 77};
atom.global.exch.b128 before, [cells], given;
st.global.b128 [old], before;
mov.b128 expected, {5, 6};
setp.eq.u32 p, lane, 0;
@p st.shared.b128 [held], expected;
bar.sync 0;
atom.shared.cas.b128 before, [held], expected, given;
st.global.b128 [old+16], before;
bar.sync 0;
ld.shared.b128 mine, [held];
@p st.global.b128 [cells+16], mine;
ret;
}
"""
)


def test_wide_words_are_exchanged_whole(runner: Runner) -> None:
    cells, old = np.array([1, 2, 0, 0], np.uint64), np.zeros((32, 4), np.uint64)
    assert runner.launch(WIDE_ATOMICS, "wide", [cells, old], 32) is None
    assert old[:, :2].tolist() == [[1, 2], *[[i, 77] for i in range(31)]]
    assert cells.tolist() == [31, 77, 0, 77], "lane 0 alone found what it expected"
    assert old[:, 2:].tolist() == [[5, 6], *[[0, 77]] * 31]


NARROW_ATOMICS = (
    HEAD
    + """
.visible .entry narrow(.param .u64 cells_at, .param .u64 given_at)
{
.reg .b64 cells, given, place, policy;
.reg .b32 lane, x, y;
.reg .b16 a, b;
ld.param.u64 cells, [cells_at];
ld.param.u64 given, [given_at];
mov.u32 lane, %tid.x;
mul.wide.u32 place, lane, 4;
add.u64 given, given, place;
ld.global.u32 x, [given];
mov.b32 {a, b}, x;
red.global.min.noftz.v2.f16 [cells], {a, b};
red.global.max.noftz.v2.bf16x2 [cells+8], {x, x};
createpolicy.fractional.L2::evict_last.b64 policy, 1.0;
red.global.add.L2::cache_hint.u32 [cells+16], 1, policy;
atom.global.add.L2::cache_hint.u32 y, [cells+20], 2, policy;
ret;
}
"""
)


def test_narrow_minima_and_maxima_prefer_numbers(runner: Runner) -> None:
    given = RNG.standard_normal((32, 2)).astype(np.float16)
    given[3] = np.nan
    cells = np.array([np.nan, 65504.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], np.float16)
    bits = given.view(np.uint16).copy()
    assert runner.launch(NARROW_ATOMICS, "narrow", [cells, bits], 32) is None
    assert np.array_equal(cells[:2], np.nanmin(given, 0))
    as_bfloat = bits.view(ml_dtypes.bfloat16).astype(np.float32)
    wanted = np.fmax(np.float32(0), np.nanmax(as_bfloat, 0))
    assert np.array_equal(cells[4:8].view(ml_dtypes.bfloat16).astype(np.float32), [*wanted, *wanted])
    assert cells[8:].view(np.uint32).tolist() == [32, 64]
