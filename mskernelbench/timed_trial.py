"""One checked candidate on timed workloads: what it writes there is compared, then it is timed."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.timing import Clock
from mskernelbench.affordable import at_any_rate, probes
from mskernelbench.checking import Checked, Checker
from mskernelbench.evaluation import Status, WorkloadResult
from mskernelbench.guards import Refusal
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.racing import Race

LONG_MS = 100.0
"""Calls that take longer are not run whole for a comparison."""


class Built(NamedTuple):
    """A candidate that can run."""

    entry: str
    build: Build
    keeps_state: bool
    """Whether one call could leave something to the next."""


@dataclass(frozen=True, slots=True)
class TimedTrial:
    """What keeps state begins anew for every workload: nothing an earlier call left is there."""

    built: Built
    device: Device
    operator: Operator
    precision: Precision
    checker: Checker
    race: Race
    quick: bool
    """Whether a verdict is wanted soon: probes, and what is costly to compare, are left out."""

    def run(self, timed: Sequence[Workload], cheap: Sequence[Workload]) -> Checked:
        """A row for every timed workload and for the `cheap` ones, which are compared whole first."""
        with self.race.beside(timed):
            compared = self._compared(cheap)
            if not compared.refusal and not self.quick:
                compared = replace(compared, refusal=self._on_other_data(cheap))
            if compared.refusal:
                return compared
            return self._timed(timed, compared.results)

    def _on_other_data(self, cheap: Sequence[Workload]) -> Refusal | None:
        """What is said against outputs on probing values, and of one workload on values nobody can know."""
        build = self.built.build
        probed = self.checker.compare(build, probes(cheap, self.operator)).refusal
        one = secrets.SystemRandom().sample(cheap, min(1, len(cheap)))
        return probed or self.checker.surprised(build, one)

    def _compared(self, workloads: Sequence[Workload]) -> Checked:
        """Whole outputs against their answers."""
        if not self.built.keeps_state:
            return self.checker.compare(self.built.build, workloads)
        results: list[WorkloadResult] = []
        for workload in workloads:
            self.device.release(self.built.build)
            one = self.checker.compare(self.built.build, [workload])
            results += one.results
            if one.refusal:
                return Checked(tuple(results), one.refusal)
        return Checked(tuple(results), None)

    def _timed(self, timed: Sequence[Workload], compared: Sequence[WorkloadResult]) -> Checked:
        """Rows with times, the errors of `compared` in them; those only compared stand before them."""
        errors = {row.key: row.error_ratio for row in compared}
        rows: list[WorkloadResult] = []
        tried = self._tried_on_new_data(timed)
        for workload in timed:
            if self.built.keeps_state:
                self.device.release(self.built.build)
            row = self.race.run(self.built.build, workload, looked_at=workload.key not in errors)
            if not isinstance(row, Refusal) and workload in tried:
                row = self.race.remembered(self.built.build, workload, row) or row
            if isinstance(row, Refusal):
                return Checked(tuple(compared), row)
            rows.append(replace(row, error_ratio=errors.get(row.key)))
        keys = {row.key for row in rows}
        late = self._late([w for w, row in zip(timed, rows, strict=True) if _is_unseen(row)])
        errors = {row.key: row.error_ratio for row in late.results}
        told = [replace(row, error_ratio=errors.get(row.key, row.error_ratio)) for row in rows]
        return Checked((*(row for row in compared if row.key not in keys), *told), late.refusal)

    def _tried_on_new_data(self, timed: Sequence[Workload]) -> Sequence[Workload]:
        """Where a measured time must hold for new data too; at least on one workload that nobody foresees.

        A quick verdict leaves that out where no state is known to be kept.
        """
        if self.device.clock is Clock.MODELLED or self.built.build.key == self.race.baseline.key:
            return ()
        if self.built.keeps_state and not self.quick:
            return timed
        count = int(self.built.keeps_state or not self.quick)
        return secrets.SystemRandom().sample(timed, min(count, len(timed)))

    def _late(self, unseen: Sequence[Workload]) -> Checked:
        """Whole comparisons where no sample is known to be right: of light workloads, and a heavy one."""
        if self.quick or self.built.build.key == self.race.baseline.key:
            return Checked((), None)
        light, drawn = at_any_rate(unseen, self.operator, self.precision)
        compared = self._compared((*light, *drawn))
        slow = compared.refusal is not None and compared.refusal.status is Status.TIMED_OUT
        return replace(compared, refusal=None) if slow else compared


def _is_unseen(row: WorkloadResult) -> bool:
    """Whether nothing was compared that can be: a kernel that takes long takes for ever to run whole."""
    return not row.seen and (row.candidate_ms or 0.0) <= LONG_MS
