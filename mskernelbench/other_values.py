"""Whether gains hold on other values than the timed ones: a kernel may look at them and be quick there alone.

What a dense operator has to do does not depend on values, so that honest kernels take as long on any.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from mskernelbench.affordable import unlike
from mskernelbench.evaluation import Interval, WorkloadResult
from mskernelbench.operator import Operator, Workload
from mskernelbench.whole_times import gains, slowed

HOLDS = 1.25
"""How much greater a gain may be than on other values: honest kernels may branch on some of them."""
COMMON = frozenset({"mixed", "ordinary"})
"""Kinds of values that are fit for any operator: one of them shows what the other does."""

Gain = Callable[[Workload], Interval | None]
"""A candidate's speedup on a workload; None where it has none."""


def held(
    operator: Operator, timed: Sequence[Workload], rows: Sequence[WorkloadResult], gain: Gain
) -> list[WorkloadResult]:
    """The rows, each with the least gain it has on any kind of values, if one looked at falls on others.

    Looked at are the greatest gain, on the hard kinds and one that is fit for any, and a drawn one on one.
    """
    if operator.work_by_values:
        return list(rows)
    places = [(w, row) for w, row in zip(timed, rows, strict=True) if row.counts and gains(row)]
    if not any(_lesser(row, gain(other)) for row, other in _drawn(places, operator)):
        return list(rows)
    found = [_least(row, unlike(w, operator), gain) for w, row in places]
    known = {row.key: row for row in found}
    return [known.get(row.key, row) for row in rows]


def _drawn(
    places: Sequence[tuple[Workload, WorkloadResult]], operator: Operator
) -> Iterator[tuple[WorkloadResult, Workload]]:
    """A row each, with its workload on another kind of values."""
    rng = secrets.SystemRandom()
    ranked = sorted(places, key=lambda place: _centre(place[1]))
    for workload, row in ranked[-1:]:
        kinds = unlike(workload, operator)
        common = [w for w in kinds if w.values in COMMON]
        hard = [w for w in kinds if w.values not in COMMON]
        yield from ((row, other) for other in (*hard, *rng.sample(common, min(1, len(common)))))
    for workload, row in rng.sample(ranked[:-1], min(1, len(ranked[:-1]))):
        kinds = unlike(workload, operator)
        yield from ((row, other) for other in rng.sample(kinds, min(1, len(kinds))))


def _centre(row: WorkloadResult) -> float:
    return row.speedup.centre if row.speedup else 0.0


def _lesser(row: WorkloadResult, other: Interval | None) -> bool:
    """Whether the gain is a lesser one on other values, beyond doubt."""
    return other is not None and row.speedup is not None and HOLDS * other.high < row.speedup.low


def _least(row: WorkloadResult, others: Iterable[Workload], gain: Gain) -> WorkloadResult:
    """The row with the gain it has on those of `others` where that is least."""
    for other in others:
        found = gain(other)
        if found is not None and row.speedup is not None and _lesser(row, found):
            row = replace(slowed(row, row.speedup.centre / found.centre), slow_values=other.values)
    return row
