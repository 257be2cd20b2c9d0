"""The referee: judges kernels for one operator at one precision on one device."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from threading import RLock

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.profile import Profile
from mskernelbench.affordable import affordable
from mskernelbench.ahead import Job, ahead
from mskernelbench.building import Building, Built
from mskernelbench.checking import Checked, Checker, failure_refusal
from mskernelbench.entries import accepted_names
from mskernelbench.errors import BaselineBroken
from mskernelbench.evaluation import Evaluation, Status
from mskernelbench.examining import examined
from mskernelbench.guards import Refusal
from mskernelbench.guards.evidence import ObjectEvidence
from mskernelbench.lane import Lane
from mskernelbench.lateness import late
from mskernelbench.materials import Materials
from mskernelbench.operator import BaselineKind, Operator, Precision, Workload
from mskernelbench.racing import Race
from mskernelbench.signatures import signature_hint
from mskernelbench.timed_trial import TimedTrial
from mskernelbench.vendor.rival import Rival
from mskernelbench.verdict import Bench, accepted, refused

SETS = ("check", "paper", "real")


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """Our own kernel, checked and timed: what candidates are compared with."""

    source: str
    entry: str
    build: Build
    evaluation: Evaluation
    """Correct, with a speedup of 1."""


class Referee:
    """Judges any number of candidates, also from several threads.

    Inputs, answers and baseline times are kept. It always checks, and times the other `sets`, or the user's
    own `shapes` (the set `user`) instead; speedups are over the `baseline` of this kind. Some inputs follow
    from a hidden `draw`, which a verdict names, and which is given to repeat it. Rules named in
    `without` do not count: so the gauntlet asks what else would have refused a cheat.
    """

    def __init__(
        self,
        device: Device,
        operator: Operator,
        precision: Precision,
        *,
        seed: int = 0,
        sets: Sequence[str] = SETS,
        shapes: Sequence[Workload] | None = None,
        baseline: BaselineKind = BaselineKind.FAIR,
        draw: int | None = None,
        without: Collection[str] = (),
    ) -> None:
        self.device = device
        self.operator = operator
        self.precision = precision
        self.seed = seed
        self._shapes = tuple(shapes or ())
        self.sets = ("check", "user") if self._shapes else tuple(sets)
        self._materials = Materials(operator, precision, seed, draw)
        hidden = self._materials.surprise
        self._bench = Bench(operator.name, str(precision), device.name, device.clock, seed, hidden, baseline)
        self._without = frozenset(without)
        self._building = Building(device, operator, precision, self._without)
        self._lock = RLock()
        self._baseline: Baseline | None = None
        self._holders: Counter[str] = Counter()
        self._ends: set[str] = set()

    def workloads(self, name: str) -> tuple[Workload, ...]:
        """The workloads of one set."""
        return self._shapes if name == "user" else self.operator.in_set(name)

    def timed_workloads(self, sets: Sequence[str] | None = None) -> tuple[Workload, ...]:
        """All workloads of these sets (by default the referee's own) but `check`."""
        names = [name for name in sets or self.sets if name != "check"]
        return tuple(workload for name in names for workload in self.workloads(name))

    def baseline(self) -> Baseline:
        """Our baseline, built, checked and timed once. Raises BaselineBroken."""
        with self._lock:
            if self._baseline is None:
                self._baseline = self._judge_baseline()
            return self._baseline

    def evaluate(
        self,
        source: str,
        entry: str | None = None,
        sets: Sequence[str] | None = None,
        timed: Sequence[Workload] | None = None,
    ) -> Evaluation:
        """The verdict on a candidate: built, gated, checked, and timed on `timed` or on these sets.

        Timed workloads are compared with the reference as well: all that are cheap to run whole, or only a
        couple of `timed`, which asks for a quick verdict. `entry` picks one of several entries. Raises
        BaselineBroken where there is nothing to compare a time with.
        """
        built = self._build(source, entry)
        if isinstance(built, Refusal):
            return refused(self._bench, entry or self._entry, built)
        with self._held(built.build):
            if timed is not None:
                return self._judge(built, timed, quick=True)
            return self._judge(built, self.timed_workloads(sets), quick=False)

    def examine(self, source: str, verdict: Evaluation) -> Evaluation:
        """The `verdict` on a champion after a call of it was watched by the device's tools, if it has any."""
        build = self.built(source, verdict.entry) if verdict.correct else None
        if build is None:
            return verdict
        with self._held(build):
            found = examined(self.device, build, self.operator, self._materials)
        if isinstance(found, Refusal):
            return refused(self._bench, verdict.entry, found, verdict.workloads)
        return replace(verdict, reason=f"{verdict.reason}; {found}") if found else verdict

    def profile(
        self, source: str, entry: str | None = None, workload: Workload | None = None
    ) -> Profile | RunFailure:
        """What one call does on the device, on the heaviest timed workload unless one is given.

        What was not checked here is first called on the least of the check set, where a hang soon shows.
        """
        built = self._build(source, entry)
        if isinstance(built, Refusal):
            no_build = built.status is Status.BUILD_FAILED
            return RunFailure(
                FailureKind.BUILD_FAILED if no_build else FailureKind.LAUNCH_FAILED, built.reason
            )
        chosen = workload or self.heaviest()
        with self._held(built.build):
            failure = None if built.build.key in self._ends else self._first_failure(built.build)
            return failure or self.device.profile(built.build, self._materials.arguments(chosen))

    def _first_failure(self, build: Build) -> RunFailure | None:
        """How a call on little data fails, in a verdict's words."""
        workload = self.workloads("check")[0]
        outputs = self.device.run(build, self._materials.arguments(workload))
        if not isinstance(outputs, RunFailure):
            return None
        return replace(outputs, reason=failure_refusal(outputs, workload).reason)

    def heaviest(self) -> Workload:
        """The timed workload with the largest T; of the check set where none is timed."""
        candidates = self.timed_workloads() or self.workloads("check")
        return max(candidates, key=lambda workload: self.operator.weight(workload.shape))

    @contextmanager
    def _held(self, build: Build) -> Iterator[None]:
        """Use `build`; the device lets go of it when nobody does any more."""
        with self._lock:
            self._holders[build.key] += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders[build.key] -= 1
                last = not self._holders[build.key]
            if last:
                self.device.release(build)

    @property
    def _entry(self) -> str:
        return self.operator.entry_symbol(self.precision)

    def _judge(self, built: Built, timed: Sequence[Workload], *, quick: bool) -> Evaluation:
        checker = self._checker()
        outcome = self._tried(checker, built, timed, quick) if timed else self._checked(checker, built)
        if outcome.refusal:
            return refused(self._bench, built.entry, outcome.refusal, outcome.results)
        verdict = accepted(self._bench, built.entry, outcome.results)
        return verdict if quick or not timed else self._rival.beside(verdict, built.build, timed)

    def _tried(self, checker: Checker, built: Built, timed: Sequence[Workload], quick: bool) -> Checked:
        """What comes of the check workloads, and then of the timed ones."""
        cheap = self._cheap(timed, quick=quick)
        later = () if quick or built.keeps_state else [w for w in timed if w not in cheap]
        with ahead(self._times(built, timed, later)):
            checked = self._checked(checker, built)
            if checked.refusal:
                return checked
            trial = TimedTrial(built, self.device, self.operator, self.precision, checker, self._race, quick)
            outcome = trial.run(timed, cheap)
        return replace(outcome, results=(*checked.results, *outcome.results))

    def _times(self, built: Built, timed: Sequence[Workload], later: Sequence[Workload]) -> Iterator[Job]:
        """Those to be made ahead: of the baseline, and of a likely champion on what it is not compared on."""
        yield from self._race.jobs(timed, built.build, later)

    def _checked(self, checker: Checker, built: Built) -> Checked:
        """What comes of the check workloads, for what keeps state in two processes."""
        checked = checker.check(built.build, self.workloads("check"))
        if built.keeps_state and not checked.refusal:
            checked = self._again(built, checked)
        if checked.refusal is None:
            self._ends.add(built.build.key)
            return checked
        return replace(checked, refusal=self._hinted(checked.refusal, built))

    def _again(self, built: Built, checked: Checked) -> Checked:
        """`checked`, refused where a new process and another order of calls make a difference."""
        self.device.release(built.build)
        again = self._checker().compare(built.build, self.workloads("check")[::-1])
        return replace(checked, refusal=again.refusal)

    def _hinted(self, refusal: Refusal, built: Built) -> Refusal:
        """`refusal`, and what is wrong with the entry's parameters: then nothing else needs a reason."""
        hint = signature_hint(built.build.source.text, built.entry, self.operator, self.precision)
        return replace(refusal, reason=f"{refusal.reason}; {hint}") if hint else refusal

    def _cheap(self, timed: Sequence[Workload], *, quick: bool) -> tuple[Workload, ...]:
        """What is compared of `timed`; where a quick verdict could afford none, of all timed workloads."""
        pools = (timed, self.timed_workloads()) if quick else (timed,)
        clock = self.device.clock
        found = (affordable(pool, self.operator, self.precision, clock, quick=quick) for pool in pools)
        return next((cheap for cheap in found if cheap), ())

    def _build(self, source: str, entry: str | None) -> Built | Refusal:
        return self._building.build(source, entry)

    def built(self, source: str, entry: str | None = None) -> Build | None:
        """What `source` is compiled to, found again where it was judged before; None where it cannot be."""
        return self._building.compiled(source, entry)

    def object_evidence(self, build: Build) -> ObjectEvidence | None:
        """The compiled object; devices without host objects have nothing to look at."""
        return self._building.object_evidence(build)

    @property
    def _baseline_source(self) -> str:
        return self.operator.baseline(self.precision, self._bench.baseline)

    def _checker(self) -> Checker:
        return Checker(self.device, self.operator, self._materials, self._without)

    @property
    def _race(self) -> Race:
        with self._lock:
            return self._baseline_race

    @cached_property
    def _baseline_race(self) -> Race:
        built = self._build(self._baseline_source, None)
        if isinstance(built, Refusal):
            raise BaselineBroken(self._broken(built))
        self._holders[built.build.key] += 1
        return Race(self._lane, built.build)

    @cached_property
    def _rival(self) -> Rival:
        return Rival(self._lane)

    @cached_property
    def _lane(self) -> Lane:
        return Lane(self.device, self.operator, self.precision, self._materials, self.seed, self._without)

    def _judge_baseline(self) -> Baseline:
        source, race = self._baseline_source, self._race
        checked = self._checker().check(race.baseline, self.workloads("check"))
        if checked.refusal:
            told = self._broken(checked.refusal)
            raise late(told) if checked.refusal.status is Status.TIMED_OUT else BaselineBroken(told)
        rows = [*checked.results, *(race.baseline_alone(w) for w in self.timed_workloads())]
        evaluation = accepted(self._bench, race.baseline.source.entry, rows)
        return Baseline(source, race.baseline.source.entry, race.baseline, evaluation)

    def _broken(self, refusal: Refusal) -> str:
        names = " or ".join(accepted_names(self.operator, self.precision)[:1])
        return f"our baseline {names} is {refusal.status} on {self.device.name}: {refusal.reason}"
