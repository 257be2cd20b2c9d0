"""Looks again at heavy workloads whose timed calls were right in samples, on less friendly values."""

import time
from collections.abc import Collection, Sequence
from typing import NamedTuple

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.timing import Clock
from mskernelbench.affordable import harder, on_harder_values
from mskernelbench.guards import Refusal
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.racing import Race
from mskernelbench.spots import Asked, called_whole

WHOLE_SECONDS = 6.0
"""After which no other whole call is asked what samples leave in doubt."""


class Found(NamedTuple):
    """What came of the looks."""

    refusal: Refusal | None = None
    doubtful: frozenset[tuple[object, ...]] = frozenset()
    """Keys of workloads of which samples were not right, and whole calls took too long to tell."""


class HarderValues(NamedTuple):
    """The looks at one candidate."""

    build: Build
    device: Device
    operator: Operator
    precision: Precision
    materials: Materials
    race: Race
    keeps_state: bool

    def look(self, sampled: Sequence[Workload]) -> Found:
        """Sampled calls on some of the `sampled` workloads; only a whole call refuses.

        A measured clock's calls are whole.
        """
        measured = self.device.clock is Clock.MEASURED
        asked = on_harder_values(sampled, self.operator, self.precision)
        doubtful = [w for w in asked if measured or not self._looks_right(w)]
        if doubtful and not measured:
            doubtful += self._more_in_doubt(asked, {w.values for w in doubtful}, sampled)
        return self._called_whole(sorted(doubtful, key=lambda w: self.operator.flops(w.shape)))

    def _looks_right(self, workload: Workload) -> bool:
        self._begin_anew()
        return self.race.looks_right(self.build, workload)

    def _more_in_doubt(
        self, asked: Sequence[Workload], kinds: Collection[str], sampled: Sequence[Workload]
    ) -> list[Workload]:
        """All other workloads that look wrong on these kinds of values: some are lighter."""
        known = {w.label for w in asked}
        others = [w for one in sampled for w in harder(one, self.operator) if w.values in kinds]
        return [w for w in others if w.label not in known and not self._looks_right(w)]

    def _called_whole(self, doubtful: Sequence[Workload]) -> Found:
        """What whole calls say on what is in doubt."""
        begun, right = time.monotonic(), set[str]()
        for workload in doubtful:
            if time.monotonic() - begun > WHOLE_SECONDS:
                break
            self._begin_anew()
            arguments = self.materials.arguments(workload)
            asked = Asked(self.operator, self.precision, workload, arguments)
            found = called_whole(self.device, self.build, asked)
            if isinstance(found, Refusal):
                return Found(found)
            if found:
                right.add(workload.label)
        return Found(None, frozenset(w.key for w in doubtful if w.label not in right))

    def _begin_anew(self) -> None:
        """Nothing that an earlier call left is there."""
        if self.keeps_state:
            self.device.release(self.build)
