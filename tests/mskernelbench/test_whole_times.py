"""Gains that samples do not prove count with the time of a call whose blocks all ran, or as none."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from mskernelbench.evaluation import Interval, Status, WorkloadResult
from mskernelbench.guards import Refusal
from mskernelbench.operator import Workload
from mskernelbench.whole_times import (
    DRAWN_STEPS,
    LOSS_STEPS,
    MOST_DRAWN_STEPS,
    TELLING_STEPS,
    Settled,
    WholeTimes,
    Within,
)

TIMED = tuple(Workload("paper", {"N": n}) for n in (1, 2, 3, 4))
FIRST, SECOND, LAST, SLOW = TIMED
CHEATED = Refusal(Status.CHEATED, "by script")


def row(workload: Workload, speedup: float, *, seen: bool = True) -> WorkloadResult:
    gain = Interval(speedup, speedup, speedup)
    ratio = 0.5 if seen else None
    return WorkloadResult("paper", workload.shape, ratio, 8.0, 8.0 / speedup, gain, 0.4, "compute")


ROWS = (row(FIRST, 4.0), row(SECOND, 2.0), row(LAST, 4.0, seen=False), row(SLOW, 0.5))
HONEST: Mapping[int, float | None] = {1: 2.0, 2: 4.0, 3: 2.0}


def times(
    whole_ms: Mapping[int, float | None], *, steps: float = 100.0, refusal: Refusal | None = None
) -> WholeTimes:
    """Of calls that take so long, by N, as all their blocks run; each costs N steps."""
    known = {**HONEST, **whole_ms}

    def call(workload: Workload) -> Within:
        return Within(known[int(workload.shape["N"])], right=True, refusal=refusal)

    return WholeTimes(call, lambda workload: float(workload.shape["N"]), steps)


def settled(
    whole_ms: Mapping[int, float | None], *, true: tuple[Workload, ...] = (), steps: float = 100.0
) -> tuple[WorkloadResult, ...]:
    return times(whole_ms, steps=steps).settled(TIMED, ROWS, [w.key for w in true]).rows


def counted(rows: tuple[WorkloadResult, ...]) -> list[bool]:
    return [one.counted for one in rows]


def test_calls_that_do_what_their_samples_do_keep_their_times_and_were_seen() -> None:
    first, second, last, slow = settled({1: 2.1})
    assert (first, second, slow) == (ROWS[0], ROWS[1], ROWS[3])
    assert (last.candidate_ms, last.sampled) == (2.0, True)


def test_the_slower_of_both_times_is_taken() -> None:
    first, second, *_ = settled({1: 8.0, 2: 1.0})
    assert (first.candidate_ms, first.speedup, first.attainment) == (8.0, Interval(1.0, 1.0, 1.0), 0.1)
    assert (second.candidate_ms, second.speedup) == (4.0, Interval(2.0, 2.0, 2.0))


def test_a_gain_does_not_count_whose_call_ends_too_late_or_is_too_costly() -> None:
    assert counted(settled({1: None})) == [False, True, True, True]
    assert counted(settled({}, steps=3.0)) == [True, True, False, True], "the lightest are called"


SLOWER = (*ROWS[:2], row(LAST, 0.5), ROWS[3])


def lost(whole_ms: Mapping[int, float | None], **changes: Any) -> tuple[WorkloadResult, ...]:
    """The rows of a kernel that loses on two workloads, after one of them was called whole."""
    return times(whole_ms)._replace(**changes).with_losses(TIMED, SLOWER, (), draw=1).rows


def test_where_a_drawn_loss_is_greater_in_a_whole_call_all_are_as_great_as_there() -> None:
    assert [one.candidate_ms for one in lost({3: 32.0, 4: 64.0})] == [2.0, 4.0, 32.0, 64.0]
    assert lost({3: 32.0, 4: 64.0})[3].speedup == Interval(0.125, 0.125, 0.125)


def test_a_loss_that_is_true_or_costs_much_or_whose_call_is_late_stays_as_it_is() -> None:
    assert lost({3: 16.0, 4: 16.0}) == SLOWER
    assert lost({3: None, 4: None}) == SLOWER
    assert lost({3: 32.0, 4: 64.0}, cost=lambda workload: 2 * LOSS_STEPS) == SLOWER
    proved = times({3: 32.0, 4: 64.0}).with_losses(TIMED, SLOWER, [LAST.key, SLOW.key], draw=1)
    assert proved == Settled(SLOWER)


def test_what_is_wrong_with_a_call_that_loses_refuses() -> None:
    assert times({4: 16.0}, refusal=CHEATED).with_losses(TIMED, SLOWER, (), draw=1).refusal == CHEATED


def test_what_is_right_in_samples_and_what_gains_nothing_is_not_called_again() -> None:
    assert settled({1: 8.0, 2: 8.0, 3: 8.0}, true=TIMED[:3]) == ROWS


def test_what_is_wrong_with_a_call_refuses() -> None:
    assert times({}, refusal=CHEATED).settled(TIMED, ROWS, ()) == Settled(ROWS, CHEATED)


def test_a_call_that_costs_too_much_is_made_where_no_other_row_counts() -> None:
    assert counted(times({}, steps=0.5).settled(TIMED[:2], ROWS[:2], ()).rows) == [True, False]
    assert counted(times({}, steps=0.5).settled(TIMED, ROWS, ()).rows) == [False, False, False, True]


def test_where_every_call_is_too_costly_and_none_ends_all_gains_count_and_say_so() -> None:
    dear = times({1: None, 2: None, 3: None}, steps=0.5).settled(TIMED[:3], ROWS[:3], ()).rows
    assert [(one.counted, one.unproved) for one in dear] == [(True, True)] * 3
    cheap = times({1: None, 2: None, 3: None}, steps=1.0).settled(TIMED[:3], ROWS[:3], ()).rows
    assert counted(cheap) == [False] * 3


def drawn(whole_ms: Mapping[int, float | None], others_ms: float | None = None) -> Settled:
    """After one gain that samples proved was timed again, of calls that cost much if there are others."""
    cost = 2 * MOST_DRAWN_STEPS if others_ms else 0.0
    whole = times(whole_ms)._replace(cost=lambda workload: cost)
    return whole.one_drawn(TIMED, ROWS, [w.key for w in TIMED], lambda workload: others_ms)


def test_a_drawn_gain_that_is_true_changes_nothing() -> None:
    assert drawn({}).rows == ROWS
    assert drawn({}, others_ms=1.0).rows == ROWS


def test_where_one_drawn_gain_does_more_than_its_samples_all_others_are_proved() -> None:
    long = {1: 8.0, 2: 8.0, 3: 8.0}
    assert [one.candidate_ms for one in drawn(long).rows] == [8.0, 8.0, 8.0, 16.0]


def test_blocks_that_nobody_foresees_are_asked_where_a_whole_call_costs_much() -> None:
    found = drawn({}, others_ms=8.0).rows
    assert [one.candidate_ms for one in found].count(8.0) == 1


def test_which_one_is_drawn_cannot_be_foreseen() -> None:
    asked = set[object]()

    def call(workload: Workload) -> Within:
        asked.add(workload.key)
        return Within(1.0)

    rows = (*ROWS[:3], replace(ROWS[3], error_ratio=None, sampled=True))
    for _ in range(200):
        WholeTimes(call, lambda workload: 0.0).one_drawn(
            TIMED, rows, [w.key for w in TIMED], lambda workload: None
        )
    assert asked == {w.key for w in TIMED}, "what gains, and what nothing else has shown"


def test_of_blocks_that_can_tell_others_a_call_that_nothing_looks_at_is_always_made() -> None:
    asked: list[object] = []

    def call(workload: Workload) -> Within:
        asked.append(workload.key)
        return Within(1.0)

    def cost(workload: Workload) -> float:
        return 2 * TELLING_STEPS if workload is SLOW else TELLING_STEPS

    rows = (*ROWS[:2], *(replace(one, error_ratio=None, sampled=True) for one in ROWS[2:]))
    for _ in range(40):
        WholeTimes(call, cost, telling=True).one_drawn(
            TIMED, rows, [w.key for w in TIMED], lambda workload: None
        )
    assert asked == [LAST.key] * 40


@pytest.mark.parametrize(
    ("cost", "ways"),
    [(DRAWN_STEPS, {"whole"}), (2 * DRAWN_STEPS, {"whole", "others"}), (2 * MOST_DRAWN_STEPS, {"others"})],
)
def test_the_more_a_call_costs_the_less_often_it_is_made(cost: float, ways: set[str]) -> None:
    asked = set[str]()

    def whole(workload: Workload) -> Within:
        asked.add("whole")
        return Within(1.0)

    def others(workload: Workload) -> float:
        asked.add("others")
        return 1.0

    for _ in range(60):
        WholeTimes(whole, lambda workload: cost).one_drawn(TIMED, ROWS, [w.key for w in TIMED], others)
    assert asked == ways
