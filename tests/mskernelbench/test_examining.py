"""A champion is refused for what a device's tools for memory and races see, and what they lack is said."""

from dataclasses import dataclass, field

import pytest

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.outputs import Examined, Fault
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Evaluation, Status
from mskernelbench.operator import Precision, Workload
from mskernelbench.referee import Referee
from tests.doubles.scripted_device import Script, ScriptedDevice, honest

SPMV = load_operator("spmv_csr")
BASELINE = SPMV.baseline(Precision.FP32)
CANDIDATE = f"// another\n{BASELINE}"
SHAPES = (Workload("user", {"rows": 100, "cols": 64, "nnz": 400}, "shifted", "uniform"),)
CLEAN = Examined(("memcheck", "racecheck"), ())


@dataclass
class WatchedDevice(ScriptedDevice):
    """One whose tools find what they are told to."""

    found: Examined = CLEAN
    watched: list[str] = field(default_factory=list)

    def examine(self, build: Build, arguments: Arguments) -> Examined:
        self.watched.append(arguments.label)
        return self.found


def scripts() -> dict[str, Script]:
    return {text: Script(honest(SPMV)) for text in (BASELINE, CANDIDATE)}


def verdicts(device: ScriptedDevice) -> tuple[Evaluation, Evaluation]:
    """Before and after the tools."""
    referee = Referee(device, SPMV, Precision.FP32, shapes=SHAPES)
    before = referee.evaluate(CANDIDATE)
    return before, referee.examine(CANDIDATE, before)


def test_a_race_that_a_tool_finds_refuses_a_champion() -> None:
    race = Fault("race", "a write and a read of one place are not ordered", "spmv", 41, other_line=51)
    before, after = verdicts(WatchedDevice(scripts(), found=Examined(("memcheck",), (race,))))
    assert before.correct
    assert (after.status, after.rule, after.speedup) == (Status.WRONG, "race", None)
    assert "not ordered (kernel spmv, line 41) in check workload" in after.reason


@pytest.mark.parametrize(
    ("found", "words"),
    [(CLEAN, "memcheck, racecheck found nothing"), (Examined((), (), "no tool"), "no tool")],
)
def test_what_was_examined_or_lacked_is_said(found: Examined, words: str) -> None:
    before, after = verdicts(WatchedDevice(scripts(), found=found))
    assert after.reason == f"{before.reason}; {words}"
    assert after.speedup == before.speedup


def test_one_call_on_the_heaviest_check_workload_is_watched() -> None:
    device = WatchedDevice(scripts())
    verdicts(device)
    heaviest = max(SPMV.in_set("check"), key=lambda workload: SPMV.weight(workload.shape))
    assert len(device.watched) == 1
    assert heaviest.label in device.watched[0]


def test_a_device_without_tools_and_a_refused_kernel_are_left_as_they_are() -> None:
    before, after = verdicts(ScriptedDevice(scripts()))
    assert after is before
    device = WatchedDevice(scripts())
    wrong = Referee(device, SPMV, Precision.FP32, shapes=SHAPES).evaluate("not in a script")
    assert Referee(device, SPMV, Precision.FP32, shapes=SHAPES).examine("not in a script", wrong) is wrong
    assert device.watched == []
