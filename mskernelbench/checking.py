"""Checks a built kernel on workloads: fresh data, poisoned outputs, every element against its bound."""

from collections import deque
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any

from numpy.typing import NDArray

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.outputs import TOO_LARGE, FailureKind, Outputs, RunFailure
from mskernelbench.answers import Answer
from mskernelbench.evaluation import Status, WorkloadResult
from mskernelbench.guards import Refusal, first_refusal
from mskernelbench.guards.evidence import CallEvidence
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Workload
from mskernelbench.tolerance import Comparison

COMPARISON = "comparison"
"""The rule that every element of an output lies within its bound."""
ORDER = "order_dependent"
"""What devices call the fault that a second call, in another order, gave other outputs."""
Coming = Future[Mapping[str, Answer]]
STATUSES = {
    FailureKind.BUILD_FAILED: Status.BUILD_FAILED,
    FailureKind.LAUNCH_FAILED: Status.LAUNCH_FAILED,
    FailureKind.CRASHED: Status.LAUNCH_FAILED,
    FailureKind.TIMED_OUT: Status.TIMED_OUT,
    FailureKind.UNSUPPORTED: Status.UNSUPPORTED,
}


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of checking."""

    results: tuple[WorkloadResult, ...]
    """One for every workload that was compared, the refused one last."""
    refusal: Refusal | None
    """Why checking stopped; None when every workload is right."""


class Checker:
    """Checks one build; remembers its outputs, to know them again. Rules named in `without` do not count."""

    def __init__(
        self, device: Device, operator: Operator, materials: Materials, without: Collection[str] = ()
    ) -> None:
        self._device = device
        self._operator = operator
        self.materials = materials
        self.without = without
        self._earlier: list[Mapping[str, NDArray[Any]]] = []

    def check(self, build: Build, workloads: Sequence[Workload]) -> Checked:
        """Every workload, then one of them again with data that no seed gives; stops at the first refusal."""
        checked = self.compare(build, workloads)
        if checked.refusal:
            return checked
        return Checked(checked.results, self.surprised(build, self._largest(workloads)))

    def surprised(self, build: Build, workloads: Sequence[Workload]) -> Refusal | None:
        """What is said against outputs on data that no seed gives."""
        return self.compare(build, workloads, draw=self.materials.surprise).refusal

    def compare(self, build: Build, workloads: Sequence[Workload], draw: int = 0) -> Checked:
        """Every workload that fits on the device once; stops at the first refusal."""
        with closing(self._answering(workloads, draw)) as answering:
            return self._compare(build, answering, draw)

    def _answering(
        self, workloads: Sequence[Workload], draw: int
    ) -> Generator[tuple[Workload, Coming], None, None]:
        """Each workload and its answers, worked out beside the calls and a workload ahead."""
        beside = ThreadPoolExecutor(1, "answers")
        coming: deque[Coming] = deque()
        try:
            for known, workload in enumerate(workloads):
                for wanted in workloads[known + len(coming) : known + 2]:
                    coming.append(beside.submit(self.materials.answers, wanted, draw))
                yield workload, coming.popleft()
        finally:
            beside.shutdown(cancel_futures=True)

    def _compare(self, build: Build, answering: Iterable[tuple[Workload, Coming]], draw: int) -> Checked:
        results: list[WorkloadResult] = []
        for workload, answers in answering:
            outcome = self._call(build, workload, draw, answers)
            if isinstance(outcome, Refusal) and outcome.rule == TOO_LARGE:
                continue
            if isinstance(outcome, Refusal):
                return Checked(tuple(results), outcome)
            results.append(outcome.result)
            if outcome.refusal:
                return Checked(tuple(results), outcome.refusal)
        return Checked(tuple(results), None)

    def _largest(self, workloads: Sequence[Workload]) -> list[Workload]:
        """The workload with the most output elements: kept answers and call counters show on it."""
        return sorted(workloads, key=self._output_elements)[-1:]

    def _output_elements(self, workload: Workload) -> int:
        return sum(prod(dimensions) for dimensions in self._operator.outputs(workload.shape).values())

    def _call(self, build: Build, workload: Workload, draw: int, answers: Coming) -> "Refusal | _Judged":
        arguments = self.materials.arguments(workload, draw)
        outputs = self._device.run(build, arguments)
        if isinstance(outputs, RunFailure):
            return failure_refusal(outputs, workload)
        comparisons = {
            name: answer.compare(outputs.arrays[name]) for name, answer in answers.result().items()
        }
        evidence = CallEvidence(
            self._operator, workload, arguments, outputs, comparisons, tuple(self._earlier)
        )
        self._earlier.append(outputs.arrays)
        refusal = _refusal(evidence, self.without)
        if refusal is None and not {COMPARISON, ORDER} & set(self.without):
            refusal = _wrong_reordered(evidence, answers.result())
        return _Judged(_result(workload, comparisons, outputs), refusal)


@dataclass(frozen=True, slots=True)
class _Judged:
    result: WorkloadResult
    refusal: Refusal | None


def failure_refusal(failure: RunFailure, workload: Workload) -> Refusal:
    """A call that gave no outputs, as a verdict."""
    fault = f": {failure.fault}" if failure.fault and failure.fault.message not in failure.reason else ""
    return Refusal(
        STATUSES[failure.kind],
        f"{failure.reason}{fault} ({workload.set} workload {workload.label})",
        rule=failure.fault.kind if failure.fault else str(failure.kind),
    )


def _result(workload: Workload, comparisons: Mapping[str, Comparison], outputs: Outputs) -> WorkloadResult:
    worst = max((c.ratio for c in comparisons.values()), default=0.0)
    return WorkloadResult(
        workload.set,
        workload.shape,
        error_ratio=worst if isfinite(worst) else None,
        pattern=workload.pattern,
        unwatched=outputs.unwatched,
    )


def _refusal(evidence: CallEvidence, without: Collection[str]) -> Refusal | None:
    """What the device saw, then the guards, then the first element outside its bound.

    That outputs depend on the order says less than a guard, which knows what is the matter with them.
    """
    faults = [fault for fault in evidence.outputs.faults if fault.kind not in without]
    faults.sort(key=lambda fault: fault.kind == ORDER)
    known = first_refusal("calls", evidence, without)
    if faults and (known is None or faults[0].kind != ORDER):
        return Refusal(Status.WRONG, f"{faults[0]} in {evidence.place}", rule=faults[0].kind)
    return known or (None if COMPARISON in without else _mismatch(evidence))


def _mismatch(evidence: CallEvidence) -> Refusal | None:
    for name, comparison in evidence.comparisons.items():
        if not comparison.right:
            reason = mismatch_sentence(name, comparison, evidence.place)
            return Refusal(Status.WRONG, _explained(reason, evidence.outputs), rule=COMPARISON)
    return None


def _wrong_reordered(evidence: CallEvidence, answers: Mapping[str, Answer]) -> Refusal | None:
    """What is wrong with what a call in another order wrote: by rounding alone it would be right."""
    for name, array in evidence.outputs.reordered.items():
        if name in answers and not (comparison := answers[name].compare(array)).right:
            place = f"{evidence.place}, with threads in reversed order,"
            reason = mismatch_sentence(name, comparison, place)
            return Refusal(Status.WRONG, _explained(reason, evidence.outputs), rule=ORDER)
    return None


def _explained(reason: str, outputs: Outputs) -> str:
    """`reason` after what the device saw that may be behind it."""
    return f"{outputs.notes[0]}; {reason}" if outputs.notes else reason


def _more_than_1(ratio: float) -> str:
    """Two digits, and more where the ratio would read as 1."""
    return f"{ratio:.2g}" if ratio >= 1.05 else f"{ratio:.6g}"


def mismatch_sentence(name: str, comparison: Comparison, place: str) -> str:
    """`output y[17] of check workload rows=63 is 0.0, expected 3.14 ± 1e-06 (error 2.1e+05 × the bound)`."""
    assert comparison.index is not None
    assert comparison.bound is not None
    element = ", ".join(str(i) for i in comparison.index)
    exact = comparison.bound == 0
    margin = "exactly" if exact else f"± {comparison.bound:.2g}"
    ratio = comparison.element_ratio
    error = f" (error {_more_than_1(ratio)} × the bound)" if ratio is not None and isfinite(ratio) else ""
    due = f"expected {comparison.expected:.9g} {margin}{error}"
    return f"output {name}[{element}] of {place} is {comparison.got:.9g}, {due}"
