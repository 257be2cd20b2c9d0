"""The search's judge on the real referee: which workloads candidates are judged on, and which the champion.

A round's verdict checks on the whole `check` set and times a few workloads; the champion's is given by a
second referee with inputs of another seed, on all workloads.
"""

from collections.abc import Sequence

from cudamaster.search.settings import Settings
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.referee import Referee
from mskernelbench.shapes import parse_shape

QUICK_A_SET = 2
"""Timed workloads of each set in the rounds."""
QUICK_BYTES = 1 << 28
"""Workloads that move more DRAM bytes are left to the end, where a set has lighter ones."""


class RefereeJudge:
    """A `Judge` on one device."""

    def __init__(self, device: Device, operator: Operator, precision: Precision, settings: Settings) -> None:
        shapes = [parse_shape(operator, text) for text in settings.shapes]
        self._rounds = Referee(device, operator, precision, seed=settings.seed, shapes=shapes)
        self._end = Referee(device, operator, precision, seed=settings.seed + 1, shapes=shapes)
        sets = [self._rounds.workloads(name) for name in self._rounds.sets if name != "check"]
        self.timed = [w for each in sets for w in spread(light(each, operator, precision), QUICK_A_SET)]
        self._heaviest = max(self.timed, key=lambda workload: operator.weight(workload.shape))

    def baseline(self) -> str:
        """The baseline's source."""
        return self._rounds.operator.baseline(self._rounds.precision)

    def quick(self, source: str) -> Evaluation:
        """Checked on the `check` set, timed on a few workloads."""
        return self._rounds.evaluate(source, timed=self.timed)

    def full(self, source: str) -> Evaluation:
        """Checked on fresh inputs, timed on every workload."""
        return self._end.evaluate(source)

    def profile(self, source: str) -> Profile | RunFailure:
        """Counters on the heaviest of the few workloads."""
        return self._rounds.profile(source, workload=self._heaviest)


def light(workloads: Sequence[Workload], operator: Operator, precision: Precision) -> list[Workload]:
    """Those of a set that move few bytes; the lightest one where none does. By weight, lightest first."""
    ranked = sorted(workloads, key=lambda workload: operator.weight(workload.shape))
    few = [w for w in ranked if operator.dram_bytes(w.shape, precision) <= QUICK_BYTES]
    return few or ranked[:1]


def spread(workloads: Sequence[Workload], count: int) -> list[Workload]:
    """`count` of them, evenly spaced from the heaviest down; the middle and the heaviest for two."""
    if len(workloads) <= count:
        return list(workloads)
    step = len(workloads) / count
    return [workloads[len(workloads) - 1 - int(step * i)] for i in reversed(range(count))]
