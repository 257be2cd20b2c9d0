"""Judges one input as `cudamaster evaluate` does: from bytes to a status."""

from typing import NamedTuple

from cudamaster.cli.kernel_file import kernel_text
from cudamaster.errors import UnreadableKernel
from cudamaster.toolchain.devices.virtual.device import VirtualDevice, VirtualLimits
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision
from mskernelbench.referee import Referee
from tests.fuzz.inputs import Input

UNREADABLE = "unreadable"
"""The file is refused before anything is judged: exit code 2."""
SECONDS = 3.0
"""That one call of an entry may take."""
MEMORY_BYTES = 1 << 30


class Verdict(NamedTuple):
    """What became of an input."""

    status: str
    reason: str


def fuzz_referee() -> Referee:
    """On a virtual GPU that is impatient; its `device` is to be closed."""
    device = VirtualDevice(limits=VirtualLimits(seconds=SECONDS, memory_bytes=MEMORY_BYTES))
    return Referee(device, load_operator("relu"), Precision.FP32, sets=("check",))


def judge(referee: Referee, given: Input) -> Verdict:
    """A status and one sentence. Whatever else happens is a finding, and is raised."""
    try:
        source = kernel_text("fuzz.cu", given.content)
    except UnreadableKernel as refusal:
        return Verdict(UNREADABLE, str(refusal))
    evaluation = referee.evaluate(source)
    return Verdict(str(evaluation.status), evaluation.reason)
