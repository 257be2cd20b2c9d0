"""Times that samples do not prove are taken again behind whole launches, or their gains do not count."""

from collections.abc import Mapping

import pytest

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Interval, WorkloadResult
from mskernelbench.materials import Materials
from mskernelbench.operator import Precision, Workload
from mskernelbench.whole_times import WholeTimes, behind_whole_launches, timed_whole
from tests.doubles.scripted_device import Script, ScriptedDevice, honest

TIMED = tuple(Workload("paper", {"N": n}) for n in (1, 2, 3, 4))
FIRST, SECOND, LAST, SLOW = TIMED


def row(workload: Workload, speedup: float, *, seen: bool = True) -> WorkloadResult:
    gain = Interval(speedup, speedup, speedup)
    ratio = 0.5 if seen else None
    return WorkloadResult("paper", workload.shape, ratio, 8.0, 8.0 / speedup, gain, 0.4, "compute")


ROWS = (row(FIRST, 4.0), row(SECOND, 2.0), row(LAST, 4.0, seen=False), row(SLOW, 0.5))


def settled(
    whole_ms: Mapping[int, float | None], *, true: tuple[Workload, ...] = (), spare: bool = False
) -> tuple[WorkloadResult, ...]:
    """The rows, of calls that take so long, by N, when all launches run whole; else the time of their row."""
    known = {1: 2.0, 2: 4.0, 4: 1e9, **whole_ms}
    times = WholeTimes(lambda workload: known[int(workload.shape["N"])], lambda workload: spare)
    return times.settled(TIMED, ROWS, [w.key for w in true])


def counted(rows: tuple[WorkloadResult, ...]) -> list[bool]:
    return [one.counted for one in rows]


def test_calls_that_do_no_more_than_their_samples_keep_their_rows() -> None:
    assert settled({}) == ROWS
    assert settled({1: 2.1}) == ROWS


def test_the_slower_of_two_times_is_taken() -> None:
    first, second, *_ = settled({1: 8.0})
    assert (first.candidate_ms, first.speedup, first.attainment) == (8.0, Interval(1.0, 1.0, 1.0), 0.1)
    assert second == ROWS[1]


def test_where_one_call_does_more_a_gain_without_a_second_time_does_not_count() -> None:
    assert counted(settled({1: 8.0})) == [True, True, False, True]
    assert counted(settled({1: 8.0}, true=(LAST,))) == [True] * 4


def test_a_call_that_runs_into_its_limit_proves_nothing() -> None:
    assert counted(settled({1: None})) == [False, True, False, True]


def test_what_is_right_in_samples_is_not_timed_again() -> None:
    assert settled({1: 8.0, 2: 8.0}, true=(FIRST, SECOND)) == ROWS


def test_no_gain_counts_where_blocks_may_spare_themselves_but_what_is_right_in_samples() -> None:
    assert counted(settled({}, true=(SECOND,), spare=True)) == [False, True, False, True]


def test_where_no_gain_would_count_those_do_that_did() -> None:
    times = WholeTimes(lambda w: None, lambda w: False)
    assert times.settled(TIMED[:3], ROWS[:3], ()) == ROWS[:3]
    spare = WholeTimes(lambda w: 0.1, lambda w: True)
    assert counted(spare.settled(TIMED[:2], ROWS[:2], ())) == [False, False]
    assert counted(times.settled(TIMED[:2], spare.settled(TIMED[:2], ROWS[:2], ()), ())) == [False, False]


def test_without_time_one_call_is_made_and_gains_that_were_not_drawn_do_not_count_where_it_does_more() -> (
    None
):
    slow = WholeTimes(lambda w: 8.0, lambda w: False, seconds=0.0)
    first, second = slow.settled(TIMED[:2], ROWS[:2], ())
    assert sorted([first.counted, second.counted]) == [False, True]
    assert max(first.candidate_ms or 0, second.candidate_ms or 0) == 8.0


def test_one_call_is_made_and_none_begins_when_the_time_is_over() -> None:
    drawn = {next(iter(timed_whole(TIMED, lambda workload: 1.0, seconds=0.0))) for _ in range(100)}
    assert len(drawn) > 1, "which it is cannot be foreseen"
    assert len(timed_whole(TIMED, lambda workload: 1.0)) == 4


@pytest.mark.parametrize("failure", [None, RunFailure(FailureKind.TIMED_OUT, "by script")])
def test_a_call_behind_whole_launches_is_made_in_a_process_of_its_own(failure: RunFailure | None) -> None:
    relu = load_operator("relu")
    source = KernelSource(relu.baseline(Precision.FP32), "RELU")

    def time_ms(arguments: Arguments) -> float | RunFailure:
        return failure or 3.0

    device = ScriptedDevice({source.text: Script(honest(relu), time_ms)})
    build, materials = device.build(source), Materials(relu, Precision.FP32, 0)
    found = behind_whole_launches(device, materials, 0, build, Workload("paper", {"N": 7}, "outliers"))
    assert found == (None if failure else 3.0)
    (verb, _), released = device.asked
    assert verb == "time"
    assert released[0] == "release"
    assert released[1] != build.key
