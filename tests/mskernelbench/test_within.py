"""A call that is timed as all of its blocks run is compared as well: it ran whole."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Status
from mskernelbench.lane import Lane
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.whole_times import Within
from mskernelbench.within import timed_within
from tests.doubles.scripted_device import Script, ScriptedDevice, honest
from tests.mskernelbench.test_sampled import FP32, ROWS, SCAN, SOFTMAX, VALUES, timing

SOURCE = KernelSource('extern "C" void entry() {}', "entry")


@dataclass
class Telling(ScriptedDevice):
    """Tells one timing, or one after another, and remembers the plans."""

    told: Timing | RunFailure | None = None
    next_told: list[Timing | RunFailure] = field(default_factory=list)
    plans: list[TimingPlan] = field(default_factory=list)

    def time(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Timing | RunFailure:
        self.plans.append(plan)
        told = self.next_told.pop(0) if self.next_told else self.told
        assert told is not None
        return told


def within(told: Timing | RunFailure, operator: Operator = SOFTMAX, *, known: bool = False) -> Within:
    device = Telling({SOURCE.text: Script(honest(operator))}, told=told)
    lane = Lane(device, operator, FP32, Materials(operator, FP32, 0), 7)
    workload = VALUES if operator is SCAN else ROWS
    found = timed_within(lane, device.build(SOURCE), workload, known=known)
    assert [replace(plan, seed=0) for plan in device.plans] == [
        TimingPlan(samples=1, anywhere=True, within=True, traces=True)
    ]
    return found


def test_counted_blocks_follow_from_a_hidden_draw_that_repeats_the_verdict() -> None:
    def seed(draw: int | None) -> int:
        device = Telling({SOURCE.text: Script(honest(SOFTMAX))}, told=timing(SOFTMAX, ROWS))
        lane = Lane(device, SOFTMAX, FP32, Materials(SOFTMAX, FP32, 0, draw), 7)
        timed_within(lane, device.build(SOURCE), ROWS, known=False)
        return device.plans[0].seed

    assert seed(5) == seed(5) != seed(6)
    assert seed(None) != seed(None)


def test_a_call_that_wrote_all_of_its_outputs_right_has_a_time() -> None:
    assert within(timing(SOFTMAX, ROWS)) == Within(1.0, right=True)


def test_an_operator_that_cannot_be_cut_is_timed_without_an_answer() -> None:
    assert within(timing(SCAN, VALUES), SCAN) == Within(1.0, right=False)


def test_where_the_answer_is_at_hand_it_is_compared_with() -> None:
    assert within(timing(SCAN, VALUES), SCAN, known=True) == Within(1.0, right=False)
    refusal = within(timing(SCAN, VALUES, error=1e-2), SCAN, known=True).refusal
    assert refusal is not None
    assert "output output[" in refusal.reason


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (timing(SOFTMAX, ROWS, error=1e-3), "where its time is taken, output out["),
        (timing(SOFTMAX, ROWS, share=0.5), "16000 elements of out are not written (N=64,C=500"),
    ],
)
def test_a_call_that_wrote_something_else_or_less_is_refused(told: Timing, words: str) -> None:
    refusal = within(told).refusal
    assert refusal is not None
    assert (refusal.status, refusal.rule) == (Status.WRONG, "comparison")
    assert words in refusal.reason


def test_a_call_that_is_faster_than_the_device_can_be_is_refused() -> None:
    refusal = within(replace(timing(SOFTMAX, ROWS), samples_ms=(1e-9,))).refusal
    assert refusal is not None
    assert refusal.rule == "faster_than_roofline"


def test_a_call_that_takes_too_long_has_no_time_and_one_that_fails_is_refused() -> None:
    assert within(RunFailure(FailureKind.TIMED_OUT, "by script")) == Within(None)
    refusal = within(RunFailure(FailureKind.LAUNCH_FAILED, "by script")).refusal
    assert refusal is not None
    assert refusal.status is Status.LAUNCH_FAILED


PRODUCT = load_operator("square_matrix_mul")


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    device = open_device("virtual:h200")
    yield device
    device.close()


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")
def test_a_call_that_does_all_of_heavy_work_does_not_end_soon_and_light_ones_do(device: Device) -> None:
    lane = Lane(device, PRODUCT, Precision.FP32, Materials(PRODUCT, Precision.FP32, 0), seed=0)
    build = device.build(KernelSource(PRODUCT.baseline(Precision.FP32), PRODUCT.symbol))
    light, heavy = (
        timed_within(lane, build, Workload("user", {"M": n}, "shifted"), known=False, most_seconds=1.0)
        for n in (64, 2048)
    )
    assert light.ms is not None
    assert (heavy.ms, heavy.refusal) == (None, None)
