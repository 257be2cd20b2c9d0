"""Refuses kernels that change their inputs, by which a later comparison could be made to agree."""

from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import CallEvidence

STATUS = Status.CHEATED


def refuse(evidence: CallEvidence) -> str | None:
    """The inputs whose bytes differ after the call."""
    names = evidence.outputs.changed_inputs
    if not names:
        return None
    return f"the kernel changed its input {', '.join(names)} in {evidence.place}"
