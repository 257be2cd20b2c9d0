"""Whether a candidate remembers: on data that no call had before, it takes longer than where it is timed.

Pairs of timed calls repeat one workload's data. An answer that is kept from one to the next is right there,
and costs nothing. For clocks that measure: modelled times are of one call each.
"""

import secrets
from statistics import median

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import TimingPlan
from mskernelbench.evaluation import Status, WorkloadResult
from mskernelbench.guards import Refusal
from mskernelbench.materials import Materials
from mskernelbench.operator import Workload

REMEMBERS = "remembers"
"""The rule that a call takes no longer on new data."""
DRAWS = 5
"""Sets of new data, of which the median counts: one call may be disturbed."""
MOST = 1.5
"""How much longer, beside the baseline, single calls may seem to take: short ones have large errors."""


def remembering(
    device: Device, materials: Materials, builds: tuple[Build, Build], workload: Workload, row: WorkloadResult
) -> Refusal | None:
    """Why the times in the `row` of `workload` are not believed, whose `builds` are baseline and candidate.

    None where they are, where there are none, or where a call on new data has no time.
    """
    if row.baseline_ms is None or row.candidate_ms is None:
        return None
    first = [_first_calls(device, materials, builds, workload) for _ in range(DRAWS)]
    times = [pair for pair in first if pair is not None]
    if len(times) < DRAWS:
        return None
    longer = (
        median(candidate / baseline for baseline, candidate in times) * row.baseline_ms / row.candidate_ms
    )
    if longer <= MOST:
        return None
    words = (
        f"beside the baseline a call takes {longer:.3g} times as long on data that it has not seen as on "
        f"those that it is timed on again and again ({workload.label}): answers are kept from call to call"
    )
    return Refusal(Status.CHEATED, words, REMEMBERS, REMEMBERS)


def _first_calls(
    device: Device, materials: Materials, builds: tuple[Build, Build], workload: Workload
) -> tuple[float, float] | None:
    """Milliseconds of each build's first call on data that were drawn just now."""
    arguments = materials.arguments(workload, 1 + secrets.randbelow(2**31))
    plan = TimingPlan(samples=1, first=True)
    baseline, candidate = (device.time(build, arguments, plan) for build in builds)
    if isinstance(baseline, RunFailure) or isinstance(candidate, RunFailure):
        return None
    return baseline.median_ms, candidate.median_ms
