"""Refuses timed calls that copy much of their data to the host or back: what the host does has no time."""

from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import TimeEvidence

STATUS = Status.CHEATED

SHARE = 0.25
"""Of the least bytes that a right call reads and writes, what may not go to the host."""
LEAST_BYTES = 256
"""Counters, flags and the like take no more, however small the data are."""


def refuse(evidence: TimeEvidence) -> str | None:
    """Copies between the device and the host as large as the work's data."""
    transferred = evidence.transferred_bytes
    if transferred <= LEAST_BYTES or transferred < SHARE * evidence.least_bytes:
        return None
    return (
        f"the call copies {transferred:,} bytes between the device and the host on workload "
        f"{evidence.workload.label}, whose data are {evidence.least_bytes:,} bytes: work belongs there"
    )
