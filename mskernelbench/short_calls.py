"""Whole calls that may take a short time: what leaves out work ends in it, what does all of it does not.

They are for heavy calls that nothing else looks at as a whole: blocks that find in memory that others have
not run can do their work where they are sampled alone, and leave it out in a whole call.
"""

import secrets
from collections.abc import Callable, Sequence

from mskernelbench.evaluation import WorkloadResult
from mskernelbench.guards import Refusal
from mskernelbench.operator import Workload
from mskernelbench.whole_times import TELLING_STEPS, Within

MOST_SECONDS = 4.0
"""For a call: much less than any takes that does all of the work."""
MOST_CALLS = 3
"""That end in it."""


def unseen_whole(
    timed: Sequence[Workload],
    rows: Sequence[WorkloadResult],
    cost: Callable[[Workload], float],
    *,
    telling: bool,
) -> list[Workload]:
    """The heavy workloads of which nobody sees a whole call: those left out since it costs too much here.

    And, where blocks are `telling`, those that only samples show.
    """

    def is_unseen(workload: Workload, row: WorkloadResult) -> bool:
        if row.left_out:
            return not row.counted
        return telling and row.error_ratio is None and cost(workload) > TELLING_STEPS

    return [w for w, row in zip(timed, rows, strict=True) if is_unseen(w, row)]


def called_shortly(workloads: Sequence[Workload], call: Callable[[Workload], Within]) -> Refusal | None:
    """What is wrong with some of these calls, drawn; one that does not end soon is the last."""
    for workload in secrets.SystemRandom().sample(workloads, min(MOST_CALLS, len(workloads))):
        one = call(workload)
        if one.refusal or one.ms is None:
            return one.refusal
    return None
