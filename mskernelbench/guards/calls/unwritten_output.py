"""Refuses outputs that still hold the poison put there before the call: work that was not done."""

import numpy as np

from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import CallEvidence
from mskernelbench.operator import Contract
from mskernelbench.poison import still_poisoned

STATUS = Status.WRONG


def refuse(evidence: CallEvidence) -> str | None:
    """The first element of a poisoned output that was never written, and how many there are."""
    if evidence.operator.contract is not Contract.POISONED:
        return None
    for name, output in evidence.outputs.arrays.items():
        unwritten = np.argwhere(still_poisoned(output))
        if len(unwritten):
            place = ", ".join(str(i) for i in unwritten[0])
            share = f"{len(unwritten)} of {output.size} elements"
            return f"output {name}[{place}] of {evidence.place} was never written ({share})"
    return None
