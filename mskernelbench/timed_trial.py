"""One checked candidate on timed workloads: what it writes there is compared, then it is timed."""

import secrets
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

from cudamaster.toolchain.device import Device
from cudamaster.toolchain.timing import Clock
from mskernelbench.affordable import a_harder_one, at_any_rate, in_spots, may_be_compared, on_other_kinds
from mskernelbench.building import Built
from mskernelbench.checking import COMPARISON, Checked, Checker
from mskernelbench.evaluation import Status, WorkloadResult
from mskernelbench.guards import Refusal
from mskernelbench.harder_values import Found, HarderValues
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.other_values import held
from mskernelbench.racing import Race
from mskernelbench.short_calls import MOST_SECONDS, called_shortly, unseen_whole
from mskernelbench.whole_calls import Told, WholeCalls
from mskernelbench.whole_times import Key, Settled, WholeTimes, Within, gains
from mskernelbench.work_growth import growth_words

LONG_MS = 100.0
"""Calls that take longer are not run whole for a comparison."""
AGAIN = 4
"""Pairs of calls, on data known and unknown, of what keeps state."""
SPOT_STEPS = 1e10
"""For calls on heavy workloads of which some places are compared."""


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
        compared = self._compared(cheap)
        if compared.refusal:
            return compared
        if self.quick:
            return self._timed(timed, compared.results)
        with ThreadPoolExecutor(1, "other data") as beside:
            other = beside.submit(self._on_other_data, cheap)
            if self._calls_alone and other.result():
                return replace(compared, refusal=other.result())
            outcome = self._timed(timed, compared.results)
        return replace(compared, refusal=other.result()) if other.result() else outcome

    @property
    def _calls_alone(self) -> bool:
        """Whether no call may be under way beside another: time is measured, or state would be mixed up."""
        return self.built.keeps_state or self.device.clock is Clock.MEASURED

    def _on_other_data(self, cheap: Sequence[Workload]) -> Refusal | None:
        """What is said against outputs on other kinds of values, and on data that nobody can know."""
        build = self.built.build
        probed = self.checker.compare(build, on_other_kinds(cheap, self.operator)).refusal
        one = secrets.SystemRandom().sample(cheap, min(1, len(cheap)))
        found = probed or self.checker.surprised(build, one)
        return self._again_and_again(cheap[-1:]) if self.built.keeps_state and not found else found

    def _again_and_again(self, workloads: Sequence[Workload]) -> Refusal | None:
        """What is said against later calls in one process: what keeps state may count them."""
        draws = (0, self.checker.materials.surprise) * AGAIN
        found = (self.checker.compare(self.built.build, workloads, draw).refusal for draw in draws)
        return next((refusal for refusal in found if refusal), None)

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
        looked_at = [w for w in timed if w.key not in errors or self._samples_all]
        rows: list[WorkloadResult] = []
        tried = self._tried_on_new_data(timed)
        for workload in timed:
            if self.built.keeps_state:
                self.device.release(self.built.build)
            row = self.race.run(self.built.build, workload, looked_at=workload in looked_at)
            if not isinstance(row, Refusal) and workload in tried:
                row = self.race.remembered(self.built.build, workload, row) or row
            if isinstance(row, Refusal):
                return Checked(tuple(compared), self._explained(row, timed[: len(rows)]))
            rows.append(replace(row, error_ratio=errors.get(row.key)))
        sampled = [w for w, row in zip(timed, rows, strict=True) if row.sampled]
        found = self._on_harder_values([w for w in sampled if w.key not in errors])
        if found.refusal:
            return Checked(tuple(compared), found.refusal)
        true = frozenset(w.key for w in sampled) - found.doubtful
        rows = [replace(row, sampled=row.key in true and row.key not in errors) for row in rows]
        keys = {row.key for row in rows}
        late = self._seen_late(timed, rows, true, found.doubtful)
        return replace(late, results=(*(row for row in compared if row.key not in keys), *late.results))

    def _explained(self, refusal: Refusal, ended: Sequence[Workload]) -> Refusal:
        """Why a call does not end, where the work of those that `ended` says it."""
        if refusal.status is not Status.TIMED_OUT or self.device.clock is Clock.MEASURED:
            return refusal
        words = growth_words(self.operator, ended, self._cost)
        return replace(refusal, reason=f"{refusal.reason}; {words}") if words else refusal

    def _seen_late(
        self,
        timed: Sequence[Workload],
        rows: Sequence[WorkloadResult],
        true: Collection[Key],
        doubtful: Collection[Key],
    ) -> Checked:
        """The rows, with what came of comparing and timing whole calls where samples do not show enough."""
        if not self._compares_late:
            return Checked(tuple(rows), None)
        whole = self._whole(_unseen(timed, rows))
        rows = _compared_late(rows, whole.results)
        if whole.refusal is not None:
            return Checked(tuple(rows), whole.refusal)
        times = self._with_true_times(timed, rows, true)
        if times.refusal is None:
            times = times._replace(refusal=self._wrong_when_whole(timed, times.rows))
        spotted = self._spotted(timed, times.rows) if times.refusal is None else Told(())
        told = [replace(row, sampled=row.sampled or row.key in spotted.keys) for row in times.rows]
        if times.refusal is None:
            told = held(self.operator, timed, told, partial(self.race.gain_on, self.built.build))
        if self.device.clock is Clock.MODELLED and any(row.seen for row in told):
            told = [self._counted(w, row, doubtful) for w, row in zip(timed, told, strict=True)]
        return Checked(tuple(told), times.refusal or spotted.refusal)

    def _with_true_times(
        self, timed: Sequence[Workload], rows: Sequence[WorkloadResult], true: Collection[Key]
    ) -> Settled:
        """All rows, with what came of timing calls as all blocks run where samples do not show their work.

        And one of the others, which nobody can foresee.
        """
        if self.device.clock is Clock.MEASURED:
            return Settled(tuple(rows))
        known = {row.key for row in rows if row.error_ratio is not None}
        true = self._shown_by_others(timed, rows, true)
        times = WholeTimes(
            lambda workload: self._within(workload, known), self._cost, telling=self.built.telling
        )
        settled = times.settled(timed, rows, true)
        if settled.refusal is None:
            settled = times.with_losses(timed, settled.rows, true, self.checker.materials.surprise)
        if settled.refusal is not None:
            return settled
        by_others = self.race.unforeseen(self.built.build).milliseconds
        return times.one_drawn(timed, settled.rows, true, by_others)

    def _wrong_when_whole(self, timed: Sequence[Workload], rows: Sequence[WorkloadResult]) -> Refusal | None:
        """What is wrong with heavy calls that leave out work, and so end soon when they are made whole."""
        if self.device.clock is Clock.MEASURED:
            return None
        unseen = unseen_whole(timed, rows, self._cost, telling=self.built.telling)
        return called_shortly(unseen, self._shortly)

    def _shortly(self, workload: Workload) -> Within:
        self._calls.begin_anew()
        return self.race.within(self.built.build, workload, known=False, most_seconds=MOST_SECONDS)

    def _shown_by_others(
        self, timed: Sequence[Workload], rows: Sequence[WorkloadResult], true: Collection[Key]
    ) -> Collection[Key]:
        """The keys of the `true` rows, without gains that only blocks show that can be foreseen."""
        unforeseen = self.race.unforeseen(self.built.build)
        doubted = {
            row.key
            for workload, row in zip(timed, rows, strict=True)
            if row.key in true and gains(row) and not unforeseen.shows(workload, row)
        }
        return set(true) - doubted

    def _within(self, workload: Workload, known: Collection[Key]) -> Within:
        self._calls.begin_anew()
        return self.race.within(self.built.build, workload, known=workload.key in known)

    def _cost(self, workload: Workload) -> float:
        return self.race.cost(self.built.build, workload)

    @property
    def _samples_all(self) -> bool:
        """Whether modelled calls are looked at where others were compared whole: samples make their times."""
        return self._compares_late and self.operator.cut is not None and self.device.clock is Clock.MODELLED

    def _on_harder_values(self, sampled: Sequence[Workload]) -> Found:
        """What is found on other values where samples of friendly ones are right."""
        if not self._compares_late:
            return Found()
        return HarderValues(self._calls, self.race).look(sampled)

    @property
    def _calls(self) -> WholeCalls:
        build, keeps_state = self.built.build, self.built.keeps_state
        materials = self.checker.materials
        return WholeCalls(
            build, self.device, self.operator, self.precision, materials, keeps_state, self._cost
        )

    def _counted(self, workload: Workload, row: WorkloadResult, doubtful: Collection[Key]) -> WorkloadResult:
        """A timed row; a gain does not count that nobody compared, or could have, beside what was compared.

        A candidate cannot know which of those that could have been are drawn. A GPU's timed calls are all
        looked at.
        """
        gains = row.speedup is not None and row.speedup.high > 1
        possible = row.key not in doubtful and may_be_compared(workload, self.operator, self.precision)
        return replace(row, counted=row.counted and (row.seen or not gains or possible))

    @property
    def _compares_late(self) -> bool:
        """Whether timed workloads are compared that cost something."""
        own = self.built.build.key == self.race.baseline.key
        return not (self.quick or own or COMPARISON in self.checker.without)

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

    def _whole(self, unseen: Sequence[Workload]) -> Checked:
        """Whole outputs where no sample is known to be right, on light workloads and a drawn heavy one.

        The last of the light ones is called on harder values too.
        """
        light, drawn = at_any_rate(unseen, self.operator, self.precision)
        whole = self._compared((*light, *drawn))
        other = whole if whole.refusal else self._compared(a_harder_one(light, self.operator))
        slow = other.refusal is not None and other.refusal.status is Status.TIMED_OUT
        return replace(whole, refusal=None if slow else other.refusal)

    def _spotted(self, timed: Sequence[Workload], rows: Sequence[WorkloadResult]) -> Told:
        """Whole calls on some heavy ones, compared at places where these can be answered alone.

        What does not count anyhow is looked at by chance only.
        """
        counted = {row.key for row in rows if row.counted}
        unseen = _unseen(timed, rows)
        groups = [[w for w in unseen if (w.key in counted) is counts] for counts in (True, False)]
        asked = [
            w
            for least, group in zip((1, 0), groups, strict=True)
            for w in in_spots(group, self.operator, self.precision, least=least)
        ]
        return self._calls.look(asked, SPOT_STEPS)


def _compared_late(
    rows: Sequence[WorkloadResult], late: Sequence[WorkloadResult]
) -> Sequence[WorkloadResult]:
    """Timed rows, with what came of comparing some afterwards."""
    errors = {row.key: row.error_ratio for row in late}
    return [replace(row, error_ratio=errors.get(row.key, row.error_ratio)) for row in rows]


def _unseen(timed: Sequence[Workload], rows: Sequence[WorkloadResult]) -> list[Workload]:
    return [w for w, row in zip(timed, rows, strict=True) if _is_unseen(row)]


def _is_unseen(row: WorkloadResult) -> bool:
    """Whether nothing was compared that can be: a kernel that takes long takes for ever to run whole."""
    return not row.seen and not row.left_out and (row.candidate_ms or 0.0) <= LONG_MS
