"""The search's judge on the real referee: which workloads candidates are judged on, and which the champion.

A round's verdict checks on the whole `check` set and times a few workloads. The champion's is given by a
second referee, whose inputs come from another seed, on all workloads.
"""

from collections.abc import Mapping, Sequence

from cudamaster.search.settings import Settings
from cudamaster.search.user_workloads import user_workloads
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.digests import digests
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.referee import Referee

QUICK = 4
"""Workloads timed in the rounds."""
QUICK_BYTES = 1 << 28
"""Workloads that move more DRAM bytes are left to the end, where there are lighter ones."""


class RefereeJudge:
    """A `Judge` on one device."""

    def __init__(self, device: Device, operator: Operator, precision: Precision, settings: Settings) -> None:
        shapes = user_workloads(operator, settings.shapes, settings.matrices)
        self._rounds = Referee(device, operator, precision, seed=settings.seed, shapes=shapes)
        self._fresh = Referee(device, operator, precision, seed=settings.seed + 1, shapes=shapes)
        self.timed = spread(light(self._rounds.timed_workloads(), operator, precision), QUICK)

    def baseline(self) -> str:
        """The baseline's source."""
        return self._rounds.operator.baseline(self._rounds.precision)

    def quick(self, source: str) -> Evaluation:
        """Checked on the `check` set, timed on a few workloads."""
        return self._rounds.evaluate(source, timed=self.timed)

    def full(self, source: str) -> Evaluation:
        """Checked and timed on fresh inputs, on every workload, in a process that has not run it before.

        Then a call is watched by the device's tools for memory and races.
        """
        build = self._fresh.built(source)
        if build is not None:
            self._fresh.device.release(build)
        return self._fresh.examine(source, self._fresh.evaluate(source))

    def digests(self, source: str) -> Mapping[str, str]:
        """Hashes of its PTX and host object, as far as the device has them."""
        build = self._fresh.built(source)
        return digests(build) if build else {}

    def profile(self, source: str) -> Profile | RunFailure:
        """Counters on the heaviest of the few workloads."""
        return self._rounds.profile(source, workload=self.profiled())

    def profiled(self) -> Workload:
        """The heaviest of the few workloads."""
        return self.timed[-1]


def light(workloads: Sequence[Workload], operator: Operator, precision: Precision) -> list[Workload]:
    """Those that move few bytes; the lightest one where none does. By weight, lightest first."""
    ranked = sorted(workloads, key=lambda workload: operator.weight(workload.shape))
    few = [w for w in ranked if operator.dram_bytes(w.shape, precision) <= QUICK_BYTES]
    return few or ranked[:1]


def spread(workloads: Sequence[Workload], count: int) -> list[Workload]:
    """`count` of them in their order, evenly spaced from the last one down."""
    last, step = len(workloads) - 1, max(1.0, len(workloads) / count)
    return [workloads[last - int(step * i)] for i in reversed(range(min(count, len(workloads))))]
