"""Times calls again within whole launches, where samples of them do not show that their time is true.

A modelled time is that of a few blocks of each launch, and of a heavy launch no others run. A kernel can
find in memory that others have not run, and do less than in a whole call: what samples write is wrong then.
Within whole launches a block finds what it finds in any call, and how much all of them do is known.
"""

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from mskernelbench.call_cost import affordable_calls
from mskernelbench.evaluation import WorkloadResult
from mskernelbench.guards import Refusal
from mskernelbench.operator import Workload
from mskernelbench.seeds import generator

STEPS = 8e10
"""What calls within whole launches may take together."""
DRAWN_STEPS = 5e9
"""For the call of one drawn workload that samples have shown; above that the chance falls with the cost,"""
MOST_DRAWN_STEPS = 4e10
"""and above that there is none."""
TELLING_STEPS = 1e10
"""For such a call of blocks that can tell which others have run: one that costs no more is always made."""
LOSS_STEPS = 3e9
"""For a call that gains nothing: it may lose more than samples show."""
LONGER = 1.1
"""How much longer a call must take to be another one than its samples."""

Key = tuple[object, ...]


class Within(NamedTuple):
    """A call that was timed as all its blocks ran."""

    ms: float | None
    """None where it takes too long here."""
    right: bool = False
    """Whether some of what it wrote was compared, and is right."""
    refusal: Refusal | None = None
    """What is wrong with it."""


class Settled(NamedTuple):
    """Rows with times that are true, or with gains that count as none."""

    rows: tuple[WorkloadResult, ...]
    refusal: Refusal | None = None
    """What is wrong with a call that was timed again."""


class WholeTimes(NamedTuple):
    """The times of one candidate's calls."""

    call: Callable[[Workload], Within]
    """Within whole launches."""
    cost: Callable[[Workload], float]
    """Steps of such a call."""
    steps: float = STEPS
    telling: bool = False
    """Whether blocks can tell which others have run: they use atomics, or variables of the device."""

    def settled(
        self, timed: Sequence[Workload], rows: Sequence[WorkloadResult], true: Collection[Key]
    ) -> Settled:
        """The rows; gains that are not among the `true` ones have the time of a whole call, or do not count.

        The lightest calls are made, one in any case where no other row counts. If that does not end, and each
        costs too much, all gains count and say that they are not proved.
        """
        asked = {row.key for row in rows if row.key not in true and row.counts and gains(row)}
        costs = {w.key: self.cost(w) for w in timed if w.key in asked}
        least = 0 if any(row.counts for row in rows if row.key not in asked) else 1
        found = self._made([w for w in timed if w.key in asked], costs, least)
        refusal = _refusal(found)
        if refusal:
            return Settled(tuple(rows), refusal)
        settled = tuple(_settled(row, found.get(row.key)) if row.key in asked else row for row in rows)
        if any(cost <= self.steps for cost in costs.values()) or any(row.counts for row in settled):
            return Settled(settled)
        return Settled(tuple(replace(row, unproved=row.key in asked) for row in rows))

    def with_losses(
        self, timed: Sequence[Workload], rows: Sequence[WorkloadResult], true: Collection[Key], draw: int
    ) -> Settled:
        """The rows after one light loss, by the verdict's hidden `draw`, was timed as all its blocks run.

        If it is greater so, the others that are not `true` are timed so too, as far as there are steps.
        """
        lost = {row.key for row in rows if row.key not in true and row.counts and not gains(row)}
        costs = {w.key: self.cost(w) for w in timed if w.key in lost}
        light = [w for w in timed if costs.get(w.key, LOSS_STEPS + 1) <= LOSS_STEPS]
        if not light:
            return Settled(tuple(rows))
        drawn = light[int(generator(draw, "a loss").integers(len(light)))]
        row = next(row for row in rows if row.key == drawn.key)
        found = {drawn.key: self.call(drawn)}
        if found[drawn.key].refusal is None and not takes_no_longer(found[drawn.key].ms, row):
            found |= self._made([w for w in timed if w.key in lost - {drawn.key}], costs, least=0)
        known = {key: one for key, one in found.items() if one.ms is not None}
        settled = (_settled(row, known[row.key]) if row.key in known else row for row in rows)
        return Settled(tuple(settled), _refusal(found))

    def one_drawn(
        self,
        timed: Sequence[Workload],
        rows: Sequence[WorkloadResult],
        true: Collection[Key],
        by_others: Callable[[Workload], float | None],
    ) -> Settled:
        """The rows after one of the `true` ones, which nobody can foresee, was timed in another way.

        Within whole launches or, where that costs too much, `by_others`: blocks that nobody can foresee.
        If it does more than its samples, all other gains have to be proved as well.
        """
        shown = [row for row in rows if row.key in true and (gains(row) or row.error_ratio is None)]
        if not shown:
            return Settled(tuple(rows))
        workloads = {w.key: w for w in timed}
        told = [row for row in shown if self._is_told(workloads[row.key], row)]
        drawn = secrets.choice(told or shown)
        workload = workloads[drawn.key]
        is_whole = bool(told) or self._is_worth(workload)
        one = self.call(workload) if is_whole else Within(by_others(workload))
        if one.refusal or takes_no_longer(one.ms, drawn):
            return Settled(tuple(rows), one.refusal)
        known = tuple(_settled(row, one) if row is drawn else row for row in rows)
        proved = {row.key for row in rows} - set(true) | {drawn.key}
        return self.settled(timed, known, proved)

    def _is_told(self, workload: Workload, row: WorkloadResult) -> bool:
        """Whether nothing else looks at a whole call of blocks that can tell others, and one is cheap."""
        return self.telling and row.error_ratio is None and self.cost(workload) <= TELLING_STEPS

    def _is_worth(self, workload: Workload) -> bool:
        """Whether its call is made that nothing asks for."""
        cost = self.cost(workload)
        return cost <= MOST_DRAWN_STEPS and secrets.SystemRandom().random() * cost <= DRAWN_STEPS

    def _made(
        self, workloads: Sequence[Workload], costs: Mapping[Key, float], least: int
    ) -> dict[Key, Within]:
        """The calls of some, `least` at any rate, lightest first, for as long as none is wrong."""

        def cost(workload: Workload) -> float:
            return costs[workload.key]

        found: dict[Key, Within] = {}
        for workload in affordable_calls(sorted(workloads, key=cost), cost, self.steps, least=least):
            found[workload.key] = self.call(workload)
            if found[workload.key].refusal:
                break
        return found


def gains(row: WorkloadResult) -> bool:
    """Whether it says that the candidate is faster."""
    return row.speedup is not None and row.speedup.high > 1


def takes_no_longer(ms: float | None, row: WorkloadResult) -> bool:
    """Whether a call that was timed in another way does no more than what the row's time is of."""
    return ms is not None and ms <= LONGER * (row.candidate_ms or 0.0)


def _refusal(found: Mapping[Key, Within]) -> Refusal | None:
    return next((one.refusal for one in found.values() if one.refusal), None)


def _settled(row: WorkloadResult, whole: Within | None) -> WorkloadResult:
    """The row with the time of a whole call, where that is longer; it does not count without."""
    if whole is None or whole.ms is None or row.candidate_ms is None or row.speedup is None:
        return replace(row, counted=False)
    seen = replace(row, sampled=row.sampled or (whole.right and row.error_ratio is None))
    factor = whole.ms / row.candidate_ms
    if factor <= LONGER:
        return seen
    return slowed(seen, factor)


def slowed(row: WorkloadResult, factor: float) -> WorkloadResult:
    """The row of a candidate that takes `factor` times as long."""
    return replace(
        row,
        candidate_ms=row.candidate_ms and factor * row.candidate_ms,
        speedup=row.speedup and row.speedup.scaled(1 / factor),
        attainment=row.attainment and row.attainment / factor,
    )
