"""Whether a candidate remembers: on data that no call had before, it takes longer than where it is timed.

Pairs of timed calls repeat one workload's data. An answer that is kept from one to the next is right there,
and costs nothing. For clocks that measure: modelled times are of one call each.
"""

import secrets
from itertools import product
from statistics import median

from cudamaster.toolchain.arguments import Arguments
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
"""Sets of new data, and calls on known ones, of which the medians count: one call may be disturbed."""
MOST = 1.5
"""How much longer, beside the baseline, calls on new data may seem to take: short ones have large errors."""


def remembering(
    device: Device, materials: Materials, builds: tuple[Build, Build], workload: Workload, row: WorkloadResult
) -> Refusal | None:
    """Why the times in the `row` of `workload` are not believed, whose `builds` are baseline and candidate.

    None where they are, where there are none, or where a call on new data has no time.
    """
    if row.baseline_ms is None or row.candidate_ms is None:
        return None
    ratios: dict[bool, list[float]] = {True: [], False: []}
    for _, is_new in product(range(DRAWS), ratios):
        arguments = materials.arguments(workload, 1 + secrets.randbelow(2**31) if is_new else 0)
        ratio = _single_calls(device, builds, arguments)
        if ratio is None:
            return None
        ratios[is_new].append(ratio)
    longer = median(ratios[True]) / median(ratios[False])
    if longer <= MOST:
        return None
    words = (
        f"beside the baseline a call takes {longer:.3g} times as long on data that it has not seen as on "
        f"those that it is timed on again and again ({workload.label}): answers are kept from call to call"
    )
    return Refusal(Status.CHEATED, words, REMEMBERS, REMEMBERS)


def _single_calls(device: Device, builds: tuple[Build, Build], arguments: Arguments) -> float | None:
    """The candidate's time over the baseline's, a call of each; None where one has none.

    Known data get single calls as well: one that follows no other takes a short kernel longer than the mean
    of many, since its code, its addresses and its process come back to the GPU with it.
    """
    plan = TimingPlan(samples=1, first=True)
    baseline, candidate = (device.time(build, arguments, plan) for build in builds)
    if isinstance(baseline, RunFailure) or isinstance(candidate, RunFailure):
        return None
    return candidate.median_ms / baseline.median_ms
