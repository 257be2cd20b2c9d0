"""Explains a verdict gate by gate: what each looked at, what it found, and which one refused the kernel."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from cudamaster.toolchain.nvcc.flags import ForbiddenFlag, requested_flags
from cudamaster.toolchain.timing import Clock
from mskernelbench.evaluation import Evaluation, Status, WorkloadResult
from mskernelbench.fairness import UNFAIR
from mskernelbench.guards import guards
from mskernelbench.guards.findings import STATE, findings
from mskernelbench.operator import Workload
from mskernelbench.referee import Referee
from mskernelbench.timed_outputs import TIMED

SCHEMA = "cudamaster.audit/1"
GATES = (
    "flags", "build", "imports", "state", "census", "correctness", "precision", "memory", "schedule", "time",
)  # fmt: skip
"""In their order."""
AT_BUILD = 5
"""So many gates need nothing but the build."""
AT_CALLS = frozenset(GATES[AT_BUILD:-1])
"""They look at every call that is compared, and the first refusal ends the calls."""
MEMORY = frozenset({
    "out_of_bounds", "misaligned", "input_written", "use_after_free", "uninitialised", "changed_inputs",
    "guard_bands", "leaked_memory",
})  # fmt: skip
SCHEDULE = frozenset({"race", "in_flight", "stale", "barrier_divergence", "deadlock", "order_dependent"})
LESS_WHEN_TIMED = frozenset({"other_launches", UNFAIR, TIMED})
MOST_KERNELS = 4


class Outcome(StrEnum):
    """What became of a kernel at a gate."""

    PASSED = "passed"
    NOTED = "noted"
    """Something was found that has honest uses; it is not held against the kernel."""
    REFUSED = "refused"
    NOT_REACHED = "not_reached"
    """The verdict fell before it had seen all it looks at."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate."""

    name: str
    outcome: Outcome
    evidence: str
    """One sentence."""


@dataclass(frozen=True, slots=True)
class Audit:
    """A verdict and how it came about."""

    evaluation: Evaluation
    gates: tuple[Gate, ...]

    def at(self, evaluation: Evaluation) -> "Audit":
        """The same with this wording of the verdict."""
        old, new = self.evaluation.reason, evaluation.reason
        gates = tuple(replace(g, evidence=new) if g.evidence == old else g for g in self.gates)
        return Audit(evaluation, gates)

    def document(self) -> dict[str, Any]:
        """The JSON document `cudamaster.audit/1`."""
        gates = [{"gate": g.name, "outcome": str(g.outcome), "evidence": g.evidence} for g in self.gates]
        return {"schema": SCHEMA, "gates": gates, "evaluation": self.evaluation.document()}


def audit(referee: Referee, source: str, entry: str | None) -> Audit:
    """Judge `source` as `Referee.evaluate` does, and say why. Raises BaselineBroken."""
    evaluation = referee.evaluate(source, entry)
    refusing = _refusing(evaluation, source, referee)
    found = _Evidence(referee, source, entry, evaluation)
    return Audit(evaluation, tuple(_gate(name, refusing, found) for name in GATES))


def _refusing(evaluation: Evaluation, source: str, referee: Referee) -> str | None:
    """The gate that refused the kernel; None where none did."""
    if evaluation.correct:
        return None
    rule = evaluation.rule or ""
    if evaluation.status is Status.BUILD_FAILED:
        return "flags" if _forbidden_flag(source) else "build"
    if rule in LESS_WHEN_TIMED:
        return "time"
    for stage, gate in (("objects", "imports"), ("times", "time")):
        if rule in {guard.name for guard in guards(stage)}:
            return gate
    if rule in MEMORY or rule in SCHEDULE:
        return "memory" if rule in MEMORY else "schedule"
    last = evaluation.workloads[-1:]
    probes = [_place(w) for w in referee.workloads("check") if w.exact]
    return "precision" if any(_row_place(row) in probes for row in last) else "correctness"


def _gate(name: str, refusing: str | None, found: "_Evidence") -> Gate:
    if name == refusing:
        return Gate(name, Outcome.REFUSED, found.evaluation.reason)
    stopped = refusing is not None and GATES.index(name) > GATES.index(refusing)
    if stopped and (found.build is None or GATES.index(name) >= AT_BUILD):
        return Gate(name, Outcome.NOT_REACHED, f"the kernel was refused before, by the gate {refusing}")
    if refusing in AT_CALLS and name in AT_CALLS:
        so_far = (
            f"{_workloads(len(found.right))} right so far; " if found.right and name == "correctness" else ""
        )
        words = f"{so_far}the calls ended where the gate {refusing} refused"
        return Gate(name, Outcome.NOT_REACHED, words)
    noted = found.noted(name)
    if noted:
        return Gate(name, Outcome.NOTED, noted)
    return Gate(name, Outcome.PASSED, found.passed(name))


class _Evidence:
    """What there is to say of a kernel, one method a gate."""

    def __init__(self, referee: Referee, source: str, entry: str | None, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.build = referee.built(source, entry)
        self._referee, self._source = referee, source
        self._object = referee.object_evidence(self.build) if self.build else None
        self._findings = findings(self._object) if self._object else ()

    @property
    def right(self) -> list[float]:
        """Errors of the workloads that are right, as shares of their bounds."""
        return [
            r.error_ratio
            for r in self.evaluation.workloads
            if r.error_ratio is not None and r.error_ratio <= 1
        ]

    def noted(self, gate: str) -> str:
        """What was found at `state` or `census`; empty where nothing was, and for other gates."""
        if gate not in ("state", "census"):
            return ""
        kept = [found for found in self._findings if (found.name in STATE) == (gate == "state")]
        again = "; checked again in another order, and timed in a new process each time"
        return "; ".join(found.evidence for found in kept) + (again if kept and gate == "state" else "")

    def passed(self, gate: str) -> str:
        """What a gate saw that it let through."""
        words: str = getattr(self, f"_{gate}")()
        return words

    def _build(self) -> str:
        assert self.build is not None
        kernels = [f"{k.name}: {k.registers} registers" for k in self.build.resources[:MOST_KERNELS]]
        more = len(self.build.resources) - len(kernels)
        named = "; ".join(kernels) + (f" and {more} more" if more > 0 else "")
        return f"compiled for {self.build.architecture}; {named or 'no kernels'}"

    def _flags(self) -> str:
        flags = requested_flags(self._source)
        return f"asks for {' '.join(flags)}" if flags else "asks for no compiler flags"

    def _imports(self) -> str:
        if self._object is None:
            return "there is no host object to look at"
        return f"{len(self._object.symbols.undefined)} symbols are imported, all of them allowed"

    def _state(self) -> str:
        return "nothing outlives a call"

    def _census(self) -> str:
        return "the PTX holds nothing of note"

    def _correctness(self) -> str:
        worst = max(self.right, default=0.0)
        return f"{_workloads(len(self.right))} right; the largest error is {worst:.3g} of its bound"

    def _precision(self) -> str:
        probes = sum(workload.exact for workload in self._referee.workloads("check"))
        if self._referee.operator.exact:
            return "every output is exact"
        if not probes:
            return "this operator has no workload on which FP32 is exact; its bounds are all there is"
        return f"{_workloads(probes)} such that FP32 is exact in any order: every output is the exact answer"

    def _memory(self) -> str:
        return "outputs are written, inputs and guard bands whole, and no device memory is left allocated"

    def _schedule(self) -> str:
        if self._referee.device.clock is not Clock.MODELLED:
            return "a GPU runs threads in its own order; nothing was changed about it"
        return "small calls were repeated, watched for races, with threads in reversed order"

    def _time(self) -> str:
        timed = [row for row in self.evaluation.workloads if row.speedup]
        shares = [row.attainment for row in timed if row.attainment is not None]
        if not shares:
            return "nothing was timed"
        most = 100 * max(shares)
        return (
            f"{_workloads(len(shares))} timed, {self.evaluation.clock}: at most {most:.0f} % of the roofline"
        )


def _workloads(count: int) -> str:
    """`1 workload is`, `2 workloads are`."""
    return "1 workload is" if count == 1 else f"{count} workloads are"


def _forbidden_flag(source: str) -> bool:
    try:
        requested_flags(source)
    except ForbiddenFlag:
        return True
    return False


def _place(workload: Workload) -> tuple[object, ...]:
    return (workload.pattern, *workload.shape.items())


def _row_place(row: WorkloadResult) -> tuple[object, ...]:
    return (row.pattern, *row.shape.items())
