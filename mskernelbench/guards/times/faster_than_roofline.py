"""Refuses times below what the device's peaks allow: such work was not done within the timed call."""

from cudamaster.toolchain.timing import Clock
from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import TimeEvidence

STATUS = Status.CHEATED

SLACK = {Clock.MEASURED: 0.95, Clock.MODELLED: 0.8}
"""Share of the floor that a time must reach: clocks and models have errors."""


def refuse(evidence: TimeEvidence) -> str | None:
    """A time below the floor."""
    if evidence.candidate_ms >= SLACK[evidence.clock] * evidence.floor_ms:
        return None
    return (
        f"{evidence.candidate_ms:.4g} ms on workload {evidence.workload.label} is less than the "
        f"{evidence.floor_ms:.4g} ms that the device's peaks allow"
    )
