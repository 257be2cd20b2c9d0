"""Calls as modelled by blocks that nobody can foresee: whether they do more than the ones that are timed."""

import secrets
from typing import NamedTuple

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from mskernelbench.evaluation import Status, WorkloadResult
from mskernelbench.fairness import DRAWS, UNFAIR, does_its_share, unfair_words
from mskernelbench.guards import Refusal
from mskernelbench.lane import Lane
from mskernelbench.operator import Workload
from mskernelbench.whole_times import takes_no_longer

PROOFS = 4
"""Most draws of such blocks, one of which must show what the usual ones do."""


class Unforeseen(NamedTuple):
    """Such calls of one candidate."""

    lane: Lane
    candidate: Build

    def unfair(self, workload: Workload, timing: Timing) -> Refusal | None:
        """Why the time is not believed where such blocks do more than the sampled ones."""
        arguments = self.lane.materials.arguments(workload)
        if UNFAIR in self.lane.without or does_its_share(timing, arguments, self.lane.least_bytes(workload)):
            return None
        draws = (self._timing(workload) for _ in range(DRAWS))
        words = unfair_words(timing, draws, workload.label)
        return Refusal(Status.CHEATED, words, UNFAIR, UNFAIR) if words else None

    def milliseconds(self, workload: Workload) -> float | None:
        """Of a call; None where it fails."""
        timing = self._timing(workload)
        return timing.median_ms if isinstance(timing, Timing) else None

    def shows(self, workload: Workload, row: WorkloadResult) -> bool:
        """Whether such blocks, too, write what is right, in as much time as the row has.

        A few draws are made: the rare blocks of honest kernels, such as thin tiles, prove nothing.
        """
        draws = (self._timing(workload, traces=True) for _ in range(PROOFS))
        return any(
            isinstance(timing, Timing)
            and takes_no_longer(timing.median_ms, row)
            and self.lane.right_in_samples(workload, timing)
            for timing in draws
        )

    def _timing(self, workload: Workload, *, traces: bool = False) -> Timing | RunFailure:
        seed, alone = secrets.randbelow(2**31), self.lane.is_heavy(workload)
        plan = TimingPlan(seed=seed, anywhere=True, alone=alone, traces=traces)
        return self.lane.device.time(self.candidate, self.lane.materials.arguments(workload), plan)
