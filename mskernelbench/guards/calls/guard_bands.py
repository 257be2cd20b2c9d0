"""Refuses writes just outside a buffer, into the bands that devices put around every tensor."""

from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import CallEvidence

STATUS = Status.WRONG


def refuse(evidence: CallEvidence) -> str | None:
    """The tensors whose guard bands were written."""
    names = evidence.outputs.overwritten_guards
    if not names:
        return None
    return f"the kernel wrote outside {', '.join(names)} in {evidence.place}"
