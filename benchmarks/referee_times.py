"""What judging one correct candidate takes, by stage; the object gate; what guards add to a bare verdict.

In seconds of processors, so that other work on the machine hardly matters. Each candidate is the operator's
baseline with another comment, so that it is compiled anew. `first` is what a search's first candidate has
to make: inputs, answers, the baseline's times; `next` is every other. A bare verdict has every call made once
and nothing watched, and asks no guard; it compares and times as any other.
"""

import logging
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.virtual.device import VirtualDevice, _Manner
from cudamaster.toolchain.outputs import Outputs, RunFailure
from cudamaster.toolchain.stages import log
from mskernelbench.catalog import load_operator
from mskernelbench.guards import STAGES, first_refusal, guards
from mskernelbench.operator import Operator, Precision
from mskernelbench.referee import Referee

OPERATORS = ("spmv_csr", "matrix_mul", "softmax_attention", "stencil_2d")
GATE_MS, OVERHEAD = 50.0, 0.5
"""Promised: the object gate's time, and what guards add to a bare verdict on four timed workloads."""
REPEATS = 3
TIMED = 4
OWN = "comparing and the rest"
GUARDS = frozenset(guard.name for stage in STAGES for guard in guards(stage))


class BareDevice(VirtualDevice):
    """Calls an entry once, and watches nothing."""

    def run(self, build: Build, arguments: Arguments) -> Outputs | RunFailure:
        """One call."""
        return self._run(build, arguments, _Manner(self.limits.seconds))


class Stages(logging.Handler):
    """Adds up what each stage tells."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """One stage's seconds."""
        self.seconds.update({record.stage: record.seconds})  # type: ignore[attr-defined]


@contextmanager
def listening() -> Iterator[Stages]:
    """What stages tell while the block runs, and this process's own time besides."""
    heard = Stages()
    log.addHandler(heard)
    log.setLevel(logging.DEBUG)
    begun = time.process_time()
    try:
        yield heard
    finally:
        log.removeHandler(heard)
        known = heard.seconds["inputs"] + heard.seconds["reference"]
        heard.seconds.update({OWN: max(0.0, time.process_time() - begun - known)})


def candidate_seconds(referee: Referee) -> Counter[str]:
    """Of a correct candidate that no cache knows, by stage."""
    source = f"{referee.operator.baseline(Precision.FP32)}\n// {uuid.uuid4()}\n"
    with listening() as heard:
        verdict = referee.evaluate(source, timed=referee.timed_workloads()[:TIMED])
    assert verdict.correct, verdict.reason
    return heard.seconds


def least(referee: Referee) -> Counter[str]:
    """The least of several candidates after the first."""
    return min((candidate_seconds(referee) for _ in range(REPEATS)), key=lambda seconds: seconds.total())


def told(seconds: Counter[str]) -> str:
    """Whole and stages in one line."""
    stages = ", ".join(f"{name} {spent:.2f}" for name, spent in seconds.most_common())
    return f"{seconds.total():6.2f} s: {stages}"


def gate_ms(referee: Referee) -> float:
    """The object gate on the baseline's build, in milliseconds, at its slowest."""
    build = referee.built(referee.operator.baseline(Precision.FP32))
    assert build is not None
    spent = []
    for _ in range(REPEATS):
        begun = time.process_time()
        assert first_refusal("objects", referee.object_evidence(build)) is None
        spent.append(time.process_time() - begun)
    return 1e3 * max(spent)


def kept(operator: Operator, device: VirtualDevice, bare_device: VirtualDevice) -> bool:
    """Print one operator's figures; whether they are as promised."""
    referee = Referee(device, operator, Precision.FP32)
    bare_referee = Referee(bare_device, operator, Precision.FP32, without=GUARDS)
    print(f"{operator.name} fp32, {TIMED} timed workloads")
    print(f"  first {told(candidate_seconds(referee))}")
    candidate_seconds(bare_referee)
    guarded, bare, gate = least(referee), least(bare_referee), gate_ms(referee)
    share = guarded.total() / bare.total() - 1
    print(f"  next  {told(guarded)}")
    print(f"  bare  {told(bare)}")
    print(f"  guards add {100 * share:.0f} % to a bare verdict; object gate {gate:.1f} ms", flush=True)
    return gate <= GATE_MS and share <= OVERHEAD


def main() -> int:
    device, bare_device = VirtualDevice(), BareDevice()
    promised = [kept(load_operator(name), device, bare_device) for name in OPERATORS]
    device.close()
    bare_device.close()
    return 0 if all(promised) else 1


if __name__ == "__main__":
    sys.exit(main())
