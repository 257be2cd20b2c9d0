"""What a judged kernel's host calls take of its modelled time, where that is much."""

import re
from typing import TYPE_CHECKING

from cudamaster.report.evaluation import host_calls_line

if TYPE_CHECKING:
    from mskernelbench.evaluation import Evaluation
    from mskernelbench.operator import Workload
    from mskernelbench.referee import Referee

HOLDING_UP = re.compile(r"\bcuda(Malloc|Free|Memcpy|\w*Synchronize)\b")
"""Host calls that may hold a call up; a source without any is not profiled for them."""


def host_calls_of(referee: "Referee", source: str, evaluation: "Evaluation") -> str:
    """One line where they take more than a fifth of the quickest timed workload; else empty.

    The quickest one shows them most, and is profiled soonest.
    """
    from cudamaster.toolchain.outputs import RunFailure
    from cudamaster.toolchain.timing import Clock

    quickest = _quickest(referee, evaluation)
    if quickest is None or evaluation.clock != Clock.MODELLED or not HOLDING_UP.search(source):
        return ""
    profile = referee.profile(source, evaluation.entry, quickest)
    return (
        "" if isinstance(profile, RunFailure) else host_calls_line(profile, quickest.shape, quickest.pattern)
    )


def _quickest(referee: "Referee", evaluation: "Evaluation") -> "Workload | None":
    timed = [row for row in evaluation.workloads if row.candidate_ms]
    if not timed:
        return None
    row = min(timed, key=lambda row: row.candidate_ms or 0.0)
    known = (
        w
        for w in referee.timed_workloads()
        if (w.set, w.shape, w.pattern) == (row.set, row.shape, row.pattern)
    )
    return next(known, None)
