"""Refuses outputs kept from an earlier call: wrong, and byte for byte what other inputs gave.

Outputs of few bytes, or of one byte repeated, can agree by chance: such a kernel is no more than wrong.
"""

from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import CallEvidence

STATUS = Status.CHEATED
LEAST_BYTES = 16


def refuse(evidence: CallEvidence) -> str | None:
    """The wrong outputs that repeat an earlier call's bytes."""
    for name, comparison in evidence.comparisons.items():
        if comparison.right:
            continue
        got = evidence.outputs.arrays[name].tobytes()
        if not tells_much(got):
            continue
        if any(name in e and e[name].tobytes() == got for e in evidence.earlier):
            return (
                f"output {name} of {evidence.place} repeats, byte for byte, an earlier answer to other inputs"
            )
    return None


def tells_much(output: bytes) -> bool:
    """Whether two different answers would hardly be the same bytes."""
    return len(output) >= LEAST_BYTES and len(set(output)) > 1
