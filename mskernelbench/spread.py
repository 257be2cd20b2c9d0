"""How far the workloads of one verdict lie apart: the slowest, the fastest, and how many went which way."""

from typing import Any, NamedTuple

from mskernelbench.evaluation import Evaluation, Interval, WorkloadResult, in_means, interval_document
from mskernelbench.ratios import RESOLUTION


class Extremes(NamedTuple):
    """The two ends."""

    slowest: WorkloadResult
    fastest: WorkloadResult


def extremes(evaluation: Evaluation) -> Extremes | None:
    """The workloads of the least and most speedup in the means; None where they differ by 10 % or less."""
    credited = [(row.speedup, row) for row in in_means(evaluation.workloads)]
    timed = [(speedup.centre, -i, row) for i, (speedup, row) in enumerate(credited) if speedup]
    if not timed:
        return None
    slowest, fastest = min(timed), max(timed)
    if fastest[0] <= RESOLUTION * slowest[0]:
        return None
    return Extremes(slowest[2], fastest[2])


def extremes_document(evaluation: Evaluation) -> dict[str, Any]:
    """`slowest` and `fastest`, each with set, shape, pattern and speedup; empty where they hardly differ."""
    found = extremes(evaluation)
    if found is None:
        return {}
    return {"slowest": _end(found.slowest), "fastest": _end(found.fastest)}


def _end(row: WorkloadResult) -> dict[str, Any]:
    pattern = {"pattern": row.pattern} if row.pattern else {}
    return {
        "set": row.set,
        "shape": dict(row.shape),
        "speedup": interval_document(row.speedup, "median"),
    } | pattern


class Directions(NamedTuple):
    """Workloads that are faster, slower, and neither as far as can be told."""

    faster: int
    slower: int
    same: int


def directions(speedups: list[Interval]) -> Directions:
    """How many speedups lie wholly above 1, wholly below, and around it."""
    faster = sum(speedup.low > 1 for speedup in speedups)
    slower = sum(speedup.high < 1 for speedup in speedups)
    return Directions(faster, slower, len(speedups) - faster - slower)
