"""Gains hold on other values too, or count as they are there."""

from dataclasses import replace

import pytest

from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Interval, WorkloadResult
from mskernelbench.operator import Workload
from mskernelbench.other_values import held

GEMM = load_operator("matrix_mul")
SORTING = load_operator("sorting")
TIMED = tuple(Workload("paper", {"M": m, "N": 64, "K": 64}, "shifted") for m in (64, 256, 1024))


def row(workload: Workload, speedup: float, *, counted: bool = True) -> WorkloadResult:
    return WorkloadResult(
        workload.set,
        workload.shape,
        baseline_ms=1.0,
        candidate_ms=1 / speedup,
        speedup=Interval(speedup, speedup, speedup),
        attainment=0.1 * speedup,
        counted=counted,
    )


ROWS = tuple(row(w, s) for w, s in zip(TIMED, (4.0, 0.5, 8.0), strict=True))


def asked(gain: float | None, operator: object = GEMM) -> tuple[list[WorkloadResult], list[Workload]]:
    """The rows of a kernel that gains so much on all other values, and what it was asked on."""
    seen: list[Workload] = []

    def gain_on(workload: Workload) -> Interval | None:
        seen.append(workload)
        return None if gain is None else Interval(gain, gain, gain)

    return held(operator, TIMED, ROWS, gain_on), seen  # type: ignore[arg-type]


def test_gains_that_hold_on_other_values_stay_and_the_greatest_is_asked_for_on_several_of_them() -> None:
    rows, seen = asked(8.0)
    assert rows == list(ROWS)
    assert [w.shape["M"] for w in seen] == [1024, 1024, 64]
    assert seen[0].values == "one_hot"
    assert seen[1].values in ("mixed", "ordinary")


def test_gains_on_the_timed_values_alone_count_as_on_the_others() -> None:
    rows, _ = asked(0.8)
    assert [r.speedup and r.speedup.centre for r in rows] == pytest.approx([0.8, 0.5, 0.8])
    assert [r.candidate_ms for r in rows] == pytest.approx([1.25, 2.0, 1.25])
    assert [r.attainment for r in rows] == pytest.approx([0.08, 0.05, 0.08])
    assert [bool(r.slow_values) for r in rows] == [True, False, True]


def test_a_little_less_is_no_other_gain() -> None:
    assert asked(6.6)[0] == list(ROWS)


def test_values_on_which_a_call_has_no_time_say_nothing() -> None:
    assert asked(None)[0] == list(ROWS)


def test_what_does_not_count_is_not_asked_for() -> None:
    rows = [replace(r, counted=False) for r in ROWS]
    assert held(GEMM, TIMED, rows, lambda w: Interval(0.1, 0.1, 0.1)) == rows


def test_sorting_may_be_quick_on_what_is_nearly_sorted() -> None:
    timed = [Workload("paper", {"N": 4096})]
    rows = [row(timed[0], 4.0)]
    assert held(SORTING, timed, rows, lambda w: Interval(0.1, 0.1, 0.1)) == rows
