"""Refuses timed calls that touch fewer bytes of their arguments than any right call reads and writes.

Extents are of sampled blocks. Where blocks differ, those that ran may be light by chance: then the tensor
counts as touched in full.
"""

from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import TimeEvidence

STATUS = Status.CHEATED

SHARE = 0.9
"""Of the least bytes, what a call has to touch."""
EVEN = 1.25
"""Blocks of one kind: the one that touches most touches at most so many times what the least one does."""


def refuse(evidence: TimeEvidence) -> str | None:
    """Fewer bytes than must be touched."""
    if not evidence.extents:
        return None
    touched = evidence.moved_bytes + sum(_most(evidence, name) for name in evidence.tensor_bytes)
    if touched >= SHARE * evidence.least_bytes:
        return None
    return (
        f"the timed call reads and writes {touched / 1e6:.4g} MB of its arguments on workload "
        f"{evidence.workload.label}, where {evidence.least_bytes / 1e6:.4g} MB are the least: work is missing"
    )


def _most(evidence: TimeEvidence, name: str) -> float:
    """Bytes of a tensor that all blocks together may have touched."""
    nbytes, extent = evidence.tensor_bytes[name], evidence.extents[name]
    return min(nbytes, extent.most) if extent.most <= EVEN * extent.least else nbytes
