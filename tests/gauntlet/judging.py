"""Judges the gauntlet's kernels on the virtual GPU: one device, and referees that keep inputs and answers."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from cudamaster.toolchain.devices.virtual.device import VirtualDevice, VirtualLimits
from mskernelbench.catalog import load_operator
from mskernelbench.evaluation import Evaluation
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.referee import Referee
from tests.gauntlet.kernels import GauntletKernel

GPU = "h200"
SEED = 20
"""Of inputs; no kernel but the one with a table knows any seed."""


MEMORY_CHECKS = frozenset({"out_of_bounds", "input_written", "misaligned", "use_after_free"})
"""Rules of which the virtual GPU can do without all at a time only."""


@dataclass(frozen=True, slots=True)
class Unchecked(VirtualLimits):
    """Limits of a device that lets kernels touch whatever they like."""

    def session_options(self) -> dict[str, int]:
        """Without checks of memory."""
        return VirtualLimits.session_options(self) | {"check_memory": False}


def timed_on(operator: Operator, shapes: Collection[str]) -> Operator:
    """The operator with its checks and, of what is timed, workloads of these sizes, or all without any."""
    if not shapes:
        return operator
    kept = [w for w in operator.workloads if w.set == "check" or sizes(w) in shapes]
    return replace(operator, workloads=tuple(kept))


def sizes(workload: Workload) -> str:
    """As heads of kernels name them: `16384x2048x4096`."""
    return "x".join(map(str, workload.shape.values()))


class Gauntlet:
    """Judges kernels; to be closed."""

    def __init__(self) -> None:
        self._devices: dict[VirtualLimits, VirtualDevice] = {}
        self._referees: dict[tuple[object, ...], Referee] = {}

    def judge(self, kernel: GauntletKernel, without: Collection[str] = (), seed: int = SEED) -> Evaluation:
        """The verdict on a kernel when the rules named in `without` do not count."""
        key = (kernel.operator, kernel.precision, kernel.shapes, kernel.seconds, frozenset(without), seed)
        if key not in self._referees:
            operator, precision = load_operator(kernel.operator), Precision(kernel.precision)
            limits = (Unchecked if MEMORY_CHECKS.intersection(without) else VirtualLimits)(kernel.seconds)
            device = self._device(limits)
            operator = timed_on(operator, kernel.shapes)
            self._referees[key] = Referee(device, operator, precision, seed=seed, without=without)
        return self._referees[key].evaluate(kernel.source, sets=kernel.sets)

    def forget(self) -> None:
        """Let go of all inputs and answers."""
        self._referees.clear()

    def _device(self, limits: VirtualLimits) -> VirtualDevice:
        if limits not in self._devices:
            self._devices[limits] = VirtualDevice(GPU, limits=limits)
        return self._devices[limits]

    def close(self) -> None:
        """End all processes."""
        for device in self._devices.values():
            device.close()


@contextmanager
def opened() -> Iterator[Gauntlet]:
    """A gauntlet for as long as the block runs."""
    gauntlet = Gauntlet()
    try:
        yield gauntlet
    finally:
        gauntlet.close()
