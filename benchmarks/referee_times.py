"""What judging one correct candidate takes, by stage; the object gate; what guards cost over a bare run.

Each candidate is the operator's baseline with another comment, so that it is compiled anew. `first` is what
the first candidate of a search waits for, with inputs, answers and the baseline's times to be made; `next` is
every other. The baseline is timed beside the candidate's runs, so that the first one's stages overlap.
"""

import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.virtual.device import VirtualDevice, _Manner
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import Outputs, RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from mskernelbench.catalog import load_operator
from mskernelbench.guards import first_refusal
from mskernelbench.guards.evidence import CallEvidence
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision
from mskernelbench.referee import Referee

T = TypeVar("T")
OPERATORS = ("spmv_csr", "matrix_mul", "softmax_attention", "stencil_2d")
GATE_MS, OVERHEAD = 50.0, 0.5
"""Promised: the object gate's time, and what guards add to a bare run of the same calls."""
REPEATS = 10


class StagedDevice(VirtualDevice):
    """Adds up the wall seconds of each verb."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: Counter[str] = Counter()

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - begun

    def build(self, source: KernelSource) -> Build:
        with self._stage("build"):
            return super().build(source)

    def run(self, build: Build, arguments: Arguments) -> Outputs | RunFailure:
        with self._stage("run"):
            return super().run(build, arguments)

    def time(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Timing | RunFailure:
        with self._stage("time"):
            return super().time(build, arguments, plan)

    def bare(self, build: Build, arguments: Arguments) -> Outputs | RunFailure:
        """One call, and nothing watched."""
        return self._run(build, arguments, _Manner(self.limits.seconds))


def spent(work: Callable[[], T]) -> tuple[float, T]:
    """Wall seconds, and what came of it."""
    begun = time.perf_counter()
    found = work()
    return time.perf_counter() - begun, found


def anew(operator: Operator) -> str:
    """A correct candidate that no cache knows."""
    return f"{operator.baseline(Precision.FP32)}\n// {uuid.uuid4()}\n"


def stages(device: StagedDevice, referee: Referee, operator: Operator) -> str:
    """One candidate's seconds."""
    device.seconds.clear()
    source = anew(operator)
    whole, verdict = spent(lambda: referee.evaluate(source, timed=referee.timed_workloads()[:4]))
    assert verdict.correct, verdict.reason
    verbs = device.seconds
    rest = whole - sum(verbs.values())
    return (
        f"{whole:7.2f} s: compile {verbs['build']:6.2f}, runs {verbs['run']:6.2f}, "
        f"times {verbs['time']:6.2f}, inputs, answers and comparing {max(rest, 0):6.2f}"
    )


def gate_ms(referee: Referee, build: Build) -> float:
    """The object gate on one build, in milliseconds, at its slowest."""
    return 1e3 * max(
        spent(lambda: first_refusal("objects", referee.object_evidence(build)))[0] for _ in range(REPEATS)
    )


class CheckSet(NamedTuple):
    """Least seconds that the check set takes, by part."""

    bare: float
    """The calls alone."""
    watched: float
    """The calls as the referee makes them: small ones again, watched and in another order."""
    compared: float
    """Every element against its bound."""
    guarded: float
    """Every guard asked about every call."""


def check_set(device: StagedDevice, operator: Operator, build: Build) -> CheckSet:
    """What checking one kernel takes on inputs and answers that exist."""
    materials = Materials(operator, Precision.FP32, seed=0)
    rounds = [one_round(device, operator, build, materials) for _ in range(REPEATS)]
    return CheckSet(*(min(times) for times in zip(*rounds, strict=True)))


def one_round(device: StagedDevice, operator: Operator, build: Build, materials: Materials) -> CheckSet:
    workloads = operator.in_set("check")
    arguments = [materials.arguments(workload) for workload in workloads]
    answers = [materials.answers(workload) for workload in workloads]
    bare, _ = spent(lambda: [device.bare(build, given) for given in arguments])
    watched, outputs = spent(lambda: [device.run(build, given) for given in arguments])
    got = [output for output in outputs if isinstance(output, Outputs)]
    assert len(got) == len(workloads), "a baseline runs"
    compared, comparisons = spent(lambda: [
        {name: answer.compare(output.arrays[name]) for name, answer in right.items()}
        for right, output in zip(answers, got, strict=True)
    ])  # fmt: skip
    calls = [
        CallEvidence(operator, *call, tuple(output.arrays for output in got[:i]))
        for i, call in enumerate(zip(workloads, arguments, got, comparisons, strict=True))
    ]
    guarded, refusals = spent(lambda: [first_refusal("calls", call) for call in calls])
    assert not any(refusals), "a baseline is honest"
    return CheckSet(bare, watched, compared, guarded)


def main() -> int:
    device = StagedDevice()
    kept = True
    for name in OPERATORS:
        operator = load_operator(name)
        referee = Referee(device, operator, Precision.FP32)
        print(f"{name} fp32, four timed workloads")
        print(f"  first  {stages(device, referee, operator)}")
        print(f"  next   {stages(device, referee, operator)}")
        build = referee.built(operator.baseline(Precision.FP32))
        assert build is not None
        gate = gate_ms(referee, build)
        checks = check_set(device, operator, build)
        share = checks.guarded / checks.bare
        kept &= gate <= GATE_MS and share <= OVERHEAD
        print(f"  object gate {gate:.1f} ms, {gate / GATE_MS:.2f} of the promised")
        print(
            f"  check set: bare {checks.bare:.3f} s, watched too {checks.watched:.3f} s, compared "
            f"{checks.compared:.3f} s, guarded {checks.guarded:.3f} s ({100 * share:.1f} % of bare)",
            flush=True,
        )
    device.close()
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
