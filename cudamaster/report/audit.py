"""An audit for people; its JSON document is `Audit.document()`."""

from mskernelbench.auditing import Audit


def audit_lines(audit: Audit) -> list[str]:
    """One line a gate, and the verdict."""
    lines = [f"{gate.name:<12} {gate.outcome.replace('_', ' '):<12} {gate.evidence}" for gate in audit.gates]
    return [*lines, f"{audit.evaluation.status}: {audit.evaluation.reason}"]
