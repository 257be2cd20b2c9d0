"""Known answers of warp-wide exchange, whole, in groups of their own membermask, and diverged."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.toolchain.virtual.isa.opcodes import THREADS, Launch, Table

RNG = np.random.default_rng(5)
LANE = np.arange(THREADS) % 32
FULL = np.full(THREADS, 0xFFFFFFFF, np.uint32)
QUARTERS = (np.uint32(0xFF) << (LANE // 8 * 8).astype(np.uint32)).astype(np.uint32)
"""Each lane's group of eight."""
VALUES = RNG.integers(0, 2**32, THREADS, dtype=np.uint64).astype(np.uint32)
FEW = RNG.integers(0, 3, THREADS).astype(np.uint32)
FLOATS = RNG.standard_normal(THREADS).astype(np.float32)
FLOATS[[3, 40, 41, 42, 43, 44, 45, 46, 47]] = np.nan
BITS = RNG.integers(0, 2, THREADS).astype(np.uint32)
BITS[:32], BITS[32:64] = 1, 0
ABSENT = 0x7FFFBAD0

SHUFFLES = [
    ("up", 1, 0x0000), ("up", 5, 0x1800), ("down", 3, 0x001F), ("down", 16, 0x001F), ("down", 2, 0x181F),
    ("bfly", 1, 0x001F), ("bfly", 16, 0x001F), ("bfly", 4, 0x181F), ("idx", 7, 0x001F), ("idx", 33, 0x001F),
    ("idx", 9, 0x181F), ("idx", 3, 0x1C1F), ("bfly", 12, 0x1807),
]  # fmt: skip


def shuffled(mode: str, lane: int, step: int, clamp: int) -> tuple[int, bool]:
    """The pseudo-code of PTX ISA 9.0, `shfl.sync`."""
    step, segment, limit = step & 31, clamp >> 8 & 31, clamp & 31
    maximum, minimum = (lane & segment) | (limit & ~segment & 31), lane & segment
    if mode == "up":
        source, inside = lane - step, lane - step >= maximum
    elif mode == "down":
        source, inside = lane + step, lane + step <= maximum
    elif mode == "bfly":
        source, inside = lane ^ step, lane ^ step <= maximum
    else:
        source = minimum | (step & ~segment & 31)
        inside = source <= maximum
    return (source if inside else lane), inside


def by_group(reduce: Callable[[NDArray[Any]], Any], values: NDArray[Any]) -> NDArray[Any]:
    return np.repeat([reduce(group) for group in values.reshape(-1, 8)], 8)


def mask_of(values: NDArray[Any], members: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """For each lane, a bit for each member of its group with the same value."""
    warps = values.reshape(-1, 32)
    equal = [[sum(1 << k for k in range(32) if warp[k] == warp[i]) for i in range(32)] for warp in warps]
    return np.array(equal, np.uint32).reshape(-1) & members


REDUCTIONS: dict[str, Callable[[NDArray[Any]], Any]] = {
    "add.u32": lambda g: g.sum(dtype=np.uint32), "add.s32": lambda g: g.sum(dtype=np.uint32),
    "min.u32": np.min, "max.u32": np.max,
    "min.s32": lambda g: g.view(np.int32).min().view(np.uint32),
    "max.s32": lambda g: g.view(np.int32).max().view(np.uint32),
    "and.b32": np.bitwise_and.reduce, "or.b32": np.bitwise_or.reduce, "xor.b32": np.bitwise_xor.reduce,
}  # fmt: skip
FLOAT_REDUCTIONS: dict[str, Callable[[NDArray[Any]], Any]] = {
    "min.f32": np.fmin.reduce, "max.f32": np.fmax.reduce, "max.NaN.f32": np.max,
    "min.abs.f32": lambda g: np.fmin.reduce(np.abs(g)),
    "max.abs.NaN.f32": lambda g: np.max(np.abs(g)),
}  # fmt: skip
DIVERGED = """
{
.reg .pred half, found;
.reg .b32 lane, part, seen;
mov.u32 lane, %laneid;
setp.lt.u32 half, lane, 16;
@half bra $low;
activemask.b32 part;
shfl.sync.idx.b32 %d0|found, %s0, 3, 31, 0xffff0000;
vote.sync.ballot.b32 seen, 1, 0xffff0000;
bra $join;
$low:
activemask.b32 part;
shfl.sync.idx.b32 %d0|found, %s0, 3, 31, 0x0000ffff;
vote.sync.ballot.b32 seen, 1, 0x0000ffff;
$join:
bar.warp.sync 0xffffffff;
mov.b32 %d1, part;
mov.b32 %d2, seen;
}
"""


@pytest.fixture(scope="module")
def table(launch: Launch) -> Table:
    cases = Table()
    for mode, step, clamp in SHUFFLES:
        text = f"shfl.sync.{mode}.b32 %d0|%d1, %s0, "
        cases.add(f"fixed {mode} {step} {clamp}", "b32 pred", "b32", [VALUES], f"{text}{step}, {clamp}, -1;")
        cases.add(f"held {mode} {step} {clamp}", "b32 pred", "b32 b32 b32 b32",
                  [VALUES, np.uint32(step), np.uint32(clamp), FULL], f"{text}%s1, %s2, %s3;")  # fmt: skip
    cases.add("per lane", "b32", "b32 b32", [VALUES, VALUES % 32], "shfl.sync.idx.b32 %d0, %s0, %s1, 31, -1;")
    cases.add("group", "b32", "b32 b32", [VALUES, QUARTERS], "shfl.sync.bfly.b32 %d0, %s0, 8, 31, %s1;")
    cases.add("group held", "b32", "b32 b32 b32", [VALUES, np.uint32(8), QUARTERS],
              "shfl.sync.bfly.b32 %d0, %s0, %s1, 31, %s2;")  # fmt: skip
    for mode, result in (("all", "pred"), ("any", "pred"), ("uni", "pred"), ("ballot", "b32")):
        text = f"vote.sync.{mode}.{result} %d0, %s0, %s1;"
        cases.add(f"vote {mode}", result, "pred b32", [BITS, QUARTERS], text)
        cases.add(f"vote warp {mode}", result, "pred b32", [BITS, FULL], text)
        cases.add(f"vote not {mode}", result, "pred b32", [BITS, FULL], text.replace("%s0", "!%s0"))
    for name in REDUCTIONS:
        cases.add(f"redux.sync.{name}", "b32", "b32 b32", [VALUES, QUARTERS])
    for name in FLOAT_REDUCTIONS:
        cases.add(f"redux.sync.{name}", "f32", "f32 b32", [FLOATS, QUARTERS])
    cases.add("match.any.sync.b32", "b32", "b32 b32", [FEW, QUARTERS])
    cases.add("match.any.sync.b64", "b32", "b64 b32", [FEW.astype(np.uint64) << np.uint64(40), QUARTERS])
    cases.add("match all", "b32 pred", "b32 b32", [FEW * (LANE > 7), QUARTERS],
              "match.all.sync.b32 %d0|%d1, %s0, %s1;")  # fmt: skip
    cases.add("elect", "b32 pred", "b32", [QUARTERS], "elect.sync %d0|%d1, %s0;")
    cases.add("diverged", "b32 b32 b32", "b32", [VALUES], DIVERGED)
    cases.run(launch)
    return cases


@pytest.mark.parametrize("how", ["fixed", "held"])
@pytest.mark.parametrize(("mode", "step", "clamp"), SHUFFLES)
def test_shuffle(table: Table, how: str, mode: str, step: int, clamp: int) -> None:
    found, inside = table.found[f"{how} {mode} {step} {clamp}"]
    sources = [shuffled(mode, lane, step, clamp) for lane in range(32)]
    warps = VALUES.reshape(-1, 32)
    assert (found.reshape(-1, 32) == warps[:, [lane for lane, _ in sources]]).all()
    assert inside.reshape(-1, 32).tolist() == [[int(good) for _, good in sources]] * len(warps)


def test_shuffle_from_a_lane_of_each_lanes_choice(table: Table) -> None:
    warps = VALUES.reshape(-1, 32)
    assert (table.found["per lane"][0].reshape(-1, 32) == np.take_along_axis(warps, warps % 32, 1)).all()


@pytest.mark.parametrize("how", ["group", "group held"])
def test_shuffle_from_a_lane_outside_the_members_is_poison(table: Table, how: str) -> None:
    assert (table.found[how][0] == ABSENT).all()


@pytest.mark.parametrize(("mode", "reduce"), [("all", np.all), ("any", np.any)])
def test_vote(table: Table, mode: str, reduce: Callable[..., Any]) -> None:
    assert (table.found[f"vote {mode}"][0] == by_group(reduce, BITS)).all()
    warps = np.repeat(reduce(BITS.reshape(-1, 32), axis=1), 32)
    assert (table.found[f"vote warp {mode}"][0] == warps).all()
    opposite = np.repeat(reduce(1 - BITS.reshape(-1, 32), axis=1), 32)
    assert (table.found[f"vote not {mode}"][0] == opposite).all()


def test_vote_uniform_and_ballot(table: Table) -> None:
    uniform = by_group(lambda group: group.all() or not group.any(), BITS)
    assert (table.found["vote uni"][0] == uniform).all()
    ballot = [sum(int(bit) << i for i, bit in enumerate(warp)) for warp in BITS.reshape(-1, 32)]
    whole = np.repeat(np.array(ballot, np.uint32), 32)
    assert (table.found["vote warp ballot"][0] == whole).all()
    assert (table.found["vote ballot"][0] == whole & QUARTERS).all()
    assert (table.found["vote not ballot"][0] == ~whole).all()


@pytest.mark.parametrize("name", REDUCTIONS)
def test_redux(table: Table, name: str) -> None:
    assert (table.found[f"redux.sync.{name}"][0] == by_group(REDUCTIONS[name], VALUES)).all()


@pytest.mark.parametrize("name", FLOAT_REDUCTIONS)
def test_redux_of_floats(table: Table, name: str) -> None:
    with np.errstate(invalid="ignore"):
        expected = by_group(FLOAT_REDUCTIONS[name], FLOATS)
    np.testing.assert_array_equal(table.found[f"redux.sync.{name}"][0], expected)


def test_match(table: Table) -> None:
    same = mask_of(FEW, QUARTERS)
    assert (table.found["match.any.sync.b32"][0] == same).all()
    assert (table.found["match.any.sync.b64"][0] == same).all()
    values = FEW * (LANE > 7)
    agreed = mask_of(values, QUARTERS) == QUARTERS
    assert agreed.any()
    assert (table.found["match all"][0] == np.where(agreed, QUARTERS, 0)).all()
    assert (table.found["match all"][1] == agreed).all()


def test_elect_chooses_the_lowest_member(table: Table) -> None:
    assert (table.found["elect"][0] == LANE // 8 * 8).all()
    assert (table.found["elect"][1] == (LANE % 8 == 0)).all()


def test_halves_that_went_different_ways_exchange_among_themselves(table: Table) -> None:
    values, part, seen = (found.reshape(-1, 32) for found in table.found["diverged"])
    warps = VALUES.reshape(-1, 32)
    assert (values[:, :16] == warps[:, 3:4]).all()
    assert (values[:, 16:] == ABSENT).all(), "lane 3 is no member of the upper half"
    for masks in (part, seen):
        assert (masks[:, :16] == 0xFFFF).all()
        assert (masks[:, 16:] == 0xFFFF0000).all()
