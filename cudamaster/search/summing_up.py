"""Reads a run's journal into its outcome: everything that is told of a run is derived from its events."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from cudamaster.agents.models.model import Reply
from cudamaster.agents.nouns import Plan
from cudamaster.search.collaborators import Collaborators
from cudamaster.search.outcome import INTERRUPTED, Best, Outcome
from cudamaster.search.settings import Settings
from cudamaster.search.standing import beats_baseline
from cudamaster.store.codec import Json, decode
from cudamaster.store.runs import RunFolder
from mskernelbench.evaluation import Evaluation

SESSION_BEGINS = ("started", "resumed")


def seconds_worked(events: Iterable[Json]) -> float:
    """Wall time between events, without the pauses before a session was resumed."""
    times = [(event["event"], datetime.fromisoformat(event["time"])) for event in events]
    steps = (
        (later - earlier).total_seconds()
        for (_, earlier), (name, later) in pairwise(times)
        if name not in SESSION_BEGINS
    )
    return sum(steps)


@dataclass(frozen=True, slots=True)
class Tally:
    """A run's events, and the questions they answer."""

    folder: RunFolder
    settings: Settings
    means: Collaborators
    events: list[Json]

    def outcome(self, stopped_by: str, champion: int | None) -> Outcome:
        """What came of the run; of an interrupted one, the best by the rounds' verdicts."""
        interrupted = stopped_by == INTERRUPTED
        return Outcome(
            run=self.folder.name,
            folder=str(self.folder.path),
            settings=self.settings,
            clock=self.means.clock,
            rounds=len(self._named("rewards")),
            candidates=self._candidates(),
            stopped_by=stopped_by,
            baseline=self._baseline(),
            best=self._leader() if interrupted else self._champion(champion),
            seconds=seconds_worked(self.events),
            fastest=self._fastest(),
            cost_usd=self._cost_usd(),
            tokens=sum(reply.usage.total for reply in self._replies()),
        )

    def _named(self, name: str) -> list[Json]:
        return [event for event in self.events if event["event"] == name]

    def _candidates(self) -> int:
        judged = {event["kernel"] for event in self._named("evaluation")}
        return sum(event["value"] in judged for event in self._named("proposal"))

    def _replies(self) -> list[Reply]:
        return [decode(Reply, event["value"]) for event in self._named("call")]

    def _cost_usd(self) -> float | None:
        costs = [reply.cost_usd for reply in self._replies()]
        return None if None in costs else round(sum((cost or 0.0 for cost in costs), 0.0), 6)

    def _baseline(self) -> Evaluation | None:
        verdicts = [e["value"] for e in self._named("evaluation") if e["number"] == 0]
        return decode(Evaluation, verdicts[0]) if verdicts else None

    def _champion(self, number: int | None) -> Best | None:
        if number is None:
            return None
        event = next(e for e in self._named("champion") if e["number"] == number)
        return self._best(event)

    def _fastest(self) -> float | None:
        proposed = {event["value"] for event in self._named("proposal")}  # the baseline's source, perhaps
        events = [e for e in self._named("evaluation") if e["number"] or e["kernel"] in proposed]
        judged = [decode(Evaluation, event["value"]) for event in events]
        return max((e.speedup.centre for e in judged if e.speedup), default=None)

    def _leader(self) -> Best | None:
        judged = [(decode(Evaluation, e["value"]), e) for e in self._named("evaluation") if e["number"]]
        faster = [
            (e.speedup.low, -event["number"], event) for e, event in judged if e.speedup and beats_baseline(e)
        ]
        return self._best(max(faster)[2]) if faster else None

    def _best(self, event: Json) -> Best:
        number, kernel = event["number"], event["kernel"]
        proposal = next(e for e in self._named("proposal") if e["number"] == number)
        lessons = [str(e["value"]) for e in self._named("lesson") if e["number"] == number]
        return Best(
            number=number,
            round=proposal["round"],
            plan=decode(Plan, proposal["plan"]),
            lesson=lessons[0] if lessons else "",
            kernel=str(self.folder.artefacts().path(kernel)),
            kernel_sha256=kernel,
            evaluation=decode(Evaluation, event["value"]),
        )
