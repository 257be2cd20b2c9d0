"""Looks again at heavy workloads whose timed calls were right in samples, on less friendly values."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from cudamaster.toolchain.timing import Clock
from mskernelbench.affordable import harder, on_harder_values
from mskernelbench.guards import Refusal
from mskernelbench.operator import Workload
from mskernelbench.racing import Race
from mskernelbench.whole_calls import WholeCalls

WHOLE_STEPS = 3e10
"""For whole calls that are asked what samples leave in doubt."""


class Found(NamedTuple):
    """What came of the looks."""

    refusal: Refusal | None = None
    doubtful: frozenset[tuple[object, ...]] = frozenset()
    """Keys of workloads of which samples were not right, and whole calls took too long to tell."""


class HarderValues(NamedTuple):
    """The looks at one candidate."""

    calls: WholeCalls
    race: Race

    def look(self, sampled: Sequence[Workload]) -> Found:
        """Sampled calls on some of the `sampled` workloads; only a whole call refuses.

        A measured clock's calls are whole.
        """
        operator, precision = self.calls.operator, self.calls.precision
        measured = self.calls.device.clock is Clock.MEASURED
        asked = on_harder_values(sampled, operator, precision)
        doubtful = [w for w in asked if measured or not self._looks_right(w)]
        if doubtful and not measured:
            doubtful += self._more_in_doubt(asked, {w.values for w in doubtful}, sampled)
        told = self.calls.look(sorted(doubtful, key=lambda w: operator.flops(w.shape)), WHOLE_STEPS)
        right = {w.label for w in told.right}
        return Found(told.refusal, frozenset(w.key for w in doubtful if w.label not in right))

    def _looks_right(self, workload: Workload) -> bool:
        self.calls.begin_anew()
        return self.race.looks_right(self.calls.build, workload)

    def _more_in_doubt(
        self, asked: Sequence[Workload], kinds: Collection[str], sampled: Sequence[Workload]
    ) -> list[Workload]:
        """All other workloads that look wrong on these kinds of values: some are lighter."""
        known = {w.label for w in asked}
        others = [w for one in sampled for w in harder(one, self.calls.operator) if w.values in kinds]
        return [w for w in others if w.label not in known and not self._looks_right(w)]
