"""Refuses outputs kept from an earlier call: wrong, and byte for byte what other inputs gave."""

from mskernelbench.evaluation import Status
from mskernelbench.guards.evidence import CallEvidence

STATUS = Status.CHEATED


def refuse(evidence: CallEvidence) -> str | None:
    """The wrong outputs that repeat an earlier call's bytes."""
    for name, comparison in evidence.comparisons.items():
        got = evidence.outputs.arrays[name].tobytes()
        if not comparison.right and any(name in e and e[name].tobytes() == got for e in evidence.earlier):
            return (
                f"output {name} of {evidence.place} repeats, byte for byte, an earlier answer to other inputs"
            )
    return None
