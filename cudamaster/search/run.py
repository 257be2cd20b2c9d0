"""One run from its first event to its outcome; resuming is the same call on a folder that has events."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from cudamaster.agents.errors import AgentsError
from cudamaster.errors import GroundChanged, Interrupted, RunDamaged, TeamFailed
from cudamaster.search.collaborators import Collaborators
from cudamaster.search.context import Context
from cudamaster.search.graph import run_graph
from cudamaster.search.ledger import Ledger
from cudamaster.search.outcome import INTERRUPTED, Outcome
from cudamaster.search.purse import Purse, paid
from cudamaster.search.remembering import keep
from cudamaster.search.settings import Settings
from cudamaster.search.stopping import until_stopped
from cudamaster.search.storing import store_champion
from cudamaster.search.summing_up import Tally, seconds_worked
from cudamaster.store.codec import Json, Malformed, decode, encode
from cudamaster.store.journal import Journal, Listener, utc_now
from cudamaster.store.lessons import FILE, Lessons
from cudamaster.store.results import digest_of
from cudamaster.store.runs import RunFolder, started
from cudamaster.toolchain.errors import ToolchainError
from mskernelbench.errors import BenchmarkError


def settings_of(folder: RunFolder) -> Settings:
    """What a stored run was asked to do. Raises RunDamaged where its journal says nothing one could ask."""
    first = started(folder.events(), folder)
    try:
        settings = decode(Settings, first.get("settings"))
        settings.require_sensible()
    except ValueError as fault:
        raise RunDamaged(folder.name, f"in its settings, {fault}") from fault
    return settings


def outcome_in(folder: RunFolder) -> Outcome | None:
    """The outcome of a finished run; None while it is not. Raises RunDamaged where it cannot be read."""
    finished = [event for event in folder.events() if event["event"] == "finished"]
    try:
        return decode(Outcome, finished[-1].get("outcome")) if finished else None
    except Malformed as fault:
        raise RunDamaged(folder.name, f"in its outcome, {fault}") from fault


@dataclass(frozen=True, slots=True)
class Run:
    """One run, new or begun before."""

    folder: RunFolder
    settings: Settings
    means: Collaborators
    command: str
    """The command line, as evidence."""
    stop: threading.Event
    """Set it, and the run ends with what it has."""
    now: Callable[[], datetime] = utc_now

    def work(self, listeners: Sequence[Listener] = ()) -> Outcome:
        """Bring the run to its outcome. Raises RunBusy where another process has it.

        Stopped early, the outcome is stopped by `interrupted`, nothing is stored in the results, and a later
        call goes on from there.
        """
        with self.folder.held():
            earlier = self.folder.events()
            journal = self.folder.journal(self.now)
            try:
                for listener in listeners:
                    journal.listen(listener)
                self._open_session(journal, earlier)
                return self._work(journal, earlier)
            finally:
                journal.close()

    def _open_session(self, journal: Journal, earlier: list[Json]) -> None:
        means = self.means
        about: Json = self._ground() | {"versions": dict(means.versions), "command": self.command}
        if earlier:
            self._require_same_ground(started(earlier, self.folder))
            journal.append("resumed", run=self.folder.name, **about)
        else:
            journal.append("started", run=self.folder.name, settings=encode(self.settings), **about)

    def _ground(self) -> Json:
        """What all verdicts of a run must share to be comparable."""
        means = self.means
        device = {"device": means.device, "clock": means.clock, "clock_version": means.clock_version}
        return device | {"baseline_sha256": digest_of(means.judge.baseline())}

    def _require_same_ground(self, first: Json) -> None:
        for name, now in self._ground().items():
            if first.get(name) != now:
                raise GroundChanged(
                    f"run {self.folder.name} began with {name} {first.get(name)}, which is now {now}: "
                    "its verdicts would not be comparable with new ones; start a new run"
                )

    def _work(self, journal: Journal, earlier: list[Json]) -> Outcome:
        ledger = Ledger(journal, earlier, self.stop)
        context = self._context(ledger, earlier)
        try:
            graph = partial(run_graph, context, self.folder.checkpoint_path)
            state = until_stopped(graph, self.stop, lambda: context.purse.asking)
        except Malformed as fault:
            raise RunDamaged(self.folder.name, f"in its events, {fault}") from fault
        except AgentsError as fault:
            raise TeamFailed(self.folder.name, fault) from fault
        except (Interrupted, ToolchainError, BenchmarkError):
            if not self.stop.is_set():
                raise  # only what was cut short by the stop may fail because of it
            journal.append("interrupted", run=self.folder.name)
            return self._tally().outcome(INTERRUPTED, None)
        outcome = store_champion(self._tally().outcome(state["stopped_by"], state["champion"]), self)
        keep(context, state["attempts"])
        journal.append("finished", run=self.folder.name, outcome=encode(outcome))
        return outcome

    def _tally(self) -> Tally:
        return Tally(self.folder, self.settings, self.means, self.folder.events())

    def _context(self, ledger: Ledger, earlier: list[Json]) -> Context:
        before, begun = seconds_worked(earlier), self.now()

        def elapsed_minutes() -> float:
            return (before + (self.now() - begun).total_seconds()) / 60

        means, artefacts = self.means, self.folder.artefacts()
        purse = Purse(ledger, self.settings.max_usd, self.settings.max_tokens)
        return Context(
            run=self.folder.name,
            settings=self.settings,
            operator=means.operator,
            precision=means.precision,
            entry=means.entry,
            spec=means.spec,
            team=paid(means.team, purse, artefacts),
            judge=means.judge,
            ledger=ledger,
            artefacts=artefacts,
            purse=purse,
            judging=threading.Semaphore(self.settings.parallel),
            lessons=Lessons(self.folder.path.parent / FILE) if self.settings.lessons else None,
            elapsed_minutes=elapsed_minutes,
        )
