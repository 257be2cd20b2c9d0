"""Times calls again with every launch run whole, where samples of them do not show that their time is true.

A modelled time is that of a few blocks of each launch, and of a heavy launch no others run. A kernel can
find in memory that others have not run, and do less than in a whole call: what samples write is wrong then.
"""

import random
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import TimingPlan
from mskernelbench.evaluation import Interval, WorkloadResult
from mskernelbench.materials import Materials
from mskernelbench.operator import Workload

SECONDS = 2.0
"""After which no other workload is timed so."""
LONGER = 1.1
"""How much longer a call must take to have done more than its samples."""
ALL_BYTES = 2**62
"""More than any call touches: one that touches less is sampled again, behind whole launches."""

Key = tuple[object, ...]


class WholeTimes(NamedTuple):
    """The times of one candidate's calls."""

    call: Callable[[Workload], float | None]
    """Milliseconds of a call whose launches run whole; None where it fails."""
    may_spare: Callable[[Workload], bool]
    """Whether blocks may know how many others have run, and by that leave arithmetic to others."""
    seconds: float = SECONDS
    """After which no other call begins; one is made in any case."""

    def settled(
        self, timed: Sequence[Workload], rows: Sequence[WorkloadResult], true: Collection[Key]
    ) -> tuple[WorkloadResult, ...]:
        """The rows; those that are not among the `true` ones, right in samples, with the slower of two times.

        A gain does not count where blocks may spare themselves, or a call runs into its limit; nor, where any
        call does more than its samples, without a second time. Where none would count, those do that did, but
        for those whose blocks may spare themselves.
        """
        unproved = {row.key for row in rows if row.key not in true and gains(row)}
        spared = {w.key for w in timed if w.key in unproved and self.may_spare(w)}
        rows = [_uncounted(row) if row.key in spared else row for row in rows]
        asked = {row.key for row in rows if row.key in unproved and row.seen and row.counted}
        ms = timed_whole([w for w in timed if w.key in asked], self.call, self.seconds)
        settled = [_settled(row, ms) for row in rows]
        if any(a is not b for a, b in zip(settled, rows, strict=True)):
            settled = [_uncounted(row) if row.key in unproved - ms.keys() else row for row in settled]
        if any(row.counts for row in settled):
            return tuple(settled)
        again = {row.key for row in rows if row.counted}
        return tuple(replace(row, counted=row.counted or row.key in again) for row in settled)


def gains(row: WorkloadResult) -> bool:
    """Whether it says that the candidate is faster."""
    return row.speedup is not None and row.speedup.high > 1


def timed_whole(
    workloads: Sequence[Workload], call: Callable[[Workload], float | None], seconds: float = SECONDS
) -> Mapping[Key, float | None]:
    """Times by `call`, in an order that nobody can foresee, for as long as there is time."""
    found: dict[Key, float | None] = {}
    begun = time.monotonic()
    for workload in random.SystemRandom().sample(workloads, len(workloads)):
        if found and time.monotonic() - begun > seconds:
            break
        found[workload.key] = call(workload)
    return found


def behind_whole_launches(
    device: Device, materials: Materials, seed: int, build: Build, workload: Workload
) -> float | None:
    """Milliseconds of a call, by the blocks that `seed` draws; None where it fails.

    In a process of its own: it knows neither earlier calls nor their times.
    """
    anew = replace(build, key=f"{build.key} behind whole launches")
    plan = TimingPlan(samples=1, seed=seed, least_bytes=ALL_BYTES)
    timing = device.time(anew, materials.arguments(workload), plan)
    device.release(anew)
    return None if isinstance(timing, RunFailure) else timing.median_ms


def _settled(row: WorkloadResult, ms: Mapping[Key, float | None]) -> WorkloadResult:
    """The row with the slower of both times."""
    if row.key not in ms or row.candidate_ms is None or row.speedup is None:
        return row
    whole_ms = ms[row.key]
    if whole_ms is None:
        return _uncounted(row)
    factor = whole_ms / row.candidate_ms
    if factor <= LONGER:
        return row
    centre, low, high = (s / factor for s in (row.speedup.centre, row.speedup.low, row.speedup.high))
    attainment = row.attainment and row.attainment / factor
    return replace(row, candidate_ms=whole_ms, speedup=Interval(centre, low, high), attainment=attainment)


def _uncounted(row: WorkloadResult) -> WorkloadResult:
    return replace(row, counted=False)
