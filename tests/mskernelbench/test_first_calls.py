"""A kernel that keeps answers from call to call is refused where time is measured; others are not."""

from dataclasses import dataclass, field, replace

import pytest

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from mskernelbench.catalog import load_operator
from mskernelbench.checking import Checker
from mskernelbench.evaluation import Status
from mskernelbench.first_calls import REMEMBERS
from mskernelbench.lane import Lane
from mskernelbench.materials import Materials
from mskernelbench.operator import Precision, Workload
from mskernelbench.racing import Race
from mskernelbench.timed_trial import Built, TimedTrial
from tests.doubles.noisy_clock import NoisyDevice
from tests.doubles.scripted_device import Script, honest

RELU = load_operator("relu")
TIMED = tuple(Workload("paper", {"N": n}, "outliers") for n in (300, 400, 500))
BASELINE, CANDIDATE = (KernelSource(text, "RELU") for text in ("// the baseline", "// the candidate"))


@dataclass
class RememberingDevice(NoisyDevice):
    """The candidate's later calls on the same data take a share of its first one."""

    share: float = 1.0
    fails: bool = False
    late_ms: float = 0.0
    """What a call of the candidate takes longer that follows no other."""
    seen: set[str] = field(default_factory=set)
    firsts: set[str] = field(default_factory=set)
    """Labels of calls that were asked for as the first on their data."""

    def time(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Timing | RunFailure:
        if plan.first and not arguments.label.endswith("/draw 0"):
            assert arguments.label not in self.seen, "new data"
            self.firsts.add(arguments.label.split("/")[3])
            if self.fails:
                return RunFailure(FailureKind.CRASHED, "by script")
        known = arguments.label in self.seen
        if build.source == CANDIDATE:
            self.seen.add(arguments.label)
            self.bias = lambda call: self.share if known else 1.0
        else:
            self.bias = lambda call: 1.0
        timing = super().time(build, arguments, plan)
        late_ms = self.late_ms if plan.first and build.source == CANDIDATE else 0.0
        return replace(timing, samples_ms=tuple(ms + late_ms for ms in timing.samples_ms))


def device(**details: object) -> RememberingDevice:
    texts = (BASELINE.text, f"{BASELINE.text}\n// a copy\n", CANDIDATE.text)
    return RememberingDevice({text: Script(honest(RELU)) for text in texts}, **details)  # type: ignore[arg-type]


def trial(found: RememberingDevice, *, keeps_state: bool, quick: bool) -> TimedTrial:
    materials = Materials(RELU, Precision.FP32, seed=0)
    lane = Lane(found, RELU, Precision.FP32, materials, seed=0)
    race, build = Race(lane, found.build(BASELINE)), found.build(CANDIDATE)
    built = Built("RELU", build, keeps_state)
    return TimedTrial(built, found, RELU, Precision.FP32, Checker(found, RELU, materials), race, quick)


@pytest.mark.parametrize("share", [0.5, 0.02])
def test_what_is_quick_only_on_data_that_it_knows_is_refused(share: float) -> None:
    refusal = trial(device(share=share), keeps_state=True, quick=True).run(TIMED[:1], ()).refusal
    assert refusal is not None
    assert (refusal.status, refusal.rule) == (Status.CHEATED, REMEMBERS)
    assert "on data that it has not seen" in refusal.reason


@pytest.mark.parametrize("share", [1.0, 0.8])
def test_what_is_as_quick_on_new_data_is_accepted(share: float) -> None:
    assert trial(device(share=share), keeps_state=True, quick=False).run(TIMED, ()).refusal is None


@pytest.mark.parametrize(
    ("keeps_state", "quick", "count"),
    [(True, False, 3), (True, True, 1), (False, False, 1), (False, True, 0)],
)
def test_new_data_are_tried_where_state_is_kept_and_in_every_full_verdict(
    keeps_state: bool, quick: bool, count: int
) -> None:
    found = device()
    assert trial(found, keeps_state=keeps_state, quick=quick).run(TIMED, ()).refusal is None
    assert len(found.firsts) == count


def test_a_call_takes_longer_that_follows_no_other_and_that_is_no_memory() -> None:
    assert trial(device(late_ms=5.0), keeps_state=True, quick=True).run(TIMED[:1], ()).refusal is None


def test_calls_on_new_data_that_fail_prove_nothing() -> None:
    assert trial(device(share=0.1, fails=True), keeps_state=True, quick=True).run(TIMED, ()).refusal is None
