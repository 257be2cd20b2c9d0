"""Refuses timed calls that copy much of their data to the host or back: what the host does has no time."""

from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import TimeEvidence

STATUS = Status.CHEATED

SHARE = 0.25
"""Of the least bytes that a right call reads and writes, what may not go to the host."""
LEAST_BYTES = 1 << 16
"""Counters, flags and tables are smaller."""


def refuse(evidence: TimeEvidence) -> str | None:
    """Copies between the device and the host as large as the work's data."""
    transferred = evidence.transferred_bytes
    if transferred < max(LEAST_BYTES, SHARE * evidence.least_bytes):
        return None
    return (
        f"the call copies {transferred / 1e6:.4g} MB between the device and the host on workload "
        f"{evidence.workload.label}, whose data are {evidence.least_bytes / 1e6:.4g} MB: work belongs there"
    )
