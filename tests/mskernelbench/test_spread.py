from dataclasses import replace

from mskernelbench.evaluation import Interval, WorkloadResult
from mskernelbench.spread import directions, extremes, extremes_document
from tests.doubles.situations import evaluation


def row(size: int, speedup: float, pattern: str | None = None) -> WorkloadResult:
    return WorkloadResult("real", {"N": size}, speedup=Interval(speedup, speedup, speedup), pattern=pattern)


def test_the_ends_are_told_with_their_workloads() -> None:
    verdict = replace(evaluation(), workloads=(row(1, 2.0), row(2, 0.79, "poisson5"), row(3, 22.8, "rmat")))

    document = extremes_document(verdict)

    assert document["slowest"]["speedup"]["median"] == 0.79
    assert document["slowest"]["pattern"] == "poisson5"
    assert (document["fastest"]["shape"], document["fastest"]["set"]) == ({"N": 3}, "real")


def test_workloads_within_a_tenth_have_no_ends() -> None:
    assert extremes(replace(evaluation(), workloads=(row(1, 2.0), row(2, 2.1)))) is None
    assert extremes(evaluation()) is None


def test_directions_count_what_can_be_told() -> None:
    unknown = Interval(1.05, 1.0, 1.05)

    assert directions([Interval(2, 2, 2), Interval(0.5, 0.5, 0.5), unknown]) == (1, 1, 1)
