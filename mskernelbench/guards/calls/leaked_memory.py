"""Refuses entries that allocate device memory and never free it: they end in an error after enough calls."""

from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import CallEvidence

STATUS = Status.WRONG


def refuse(evidence: CallEvidence) -> str | None:
    """Bytes that every call leaves allocated; other sets are not called often enough to tell."""
    leaked = evidence.outputs.leaked_bytes
    if not leaked or evidence.workload.set != "check":
        return None
    return f"every call leaves {leaked} bytes of device memory allocated, in {evidence.place}: free them"
