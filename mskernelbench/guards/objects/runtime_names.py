"""Refuses objects that define names of the CUDA runtime or of clocks, which the harness might call by them.

The linker keeps such definitions within the candidate's library, so that they reach nobody; but nobody makes
them by accident.
"""

import re

from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import ObjectEvidence

STATUS = Status.CHEATED

TAKEN = re.compile(
    r"_{0,2}cuda[A-Z]\w*|cu(?:Ctx|Event|Init|Launch|Mem|Module|Stream)\w*|nvml[A-Z]\w*"
    r"|clock|clock_gettime|gettimeofday|time|nanosleep|usleep"
)


def refuse(evidence: ObjectEvidence) -> str | None:
    """The names that are taken."""
    names = sorted(name for name in evidence.symbols.defined if TAKEN.fullmatch(name))
    if not names:
        return None
    return f"the object defines {', '.join(names)}, which are names of the runtime: give them others"
