"""What got worse: new scores against stored ones, beyond the interval of either."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cudamaster.bench.score import Score
from cudamaster.leaderboard.entries import Entry, Ground
from cudamaster.report.document import Json
from cudamaster.report.figures import clock_text
from mskernelbench.evaluation import Interval, interval_document
from mskernelbench.ratios import faster_than
from mskernelbench.scores import Task


class Regression(NamedTuple):
    """A task that is worse than what is stored."""

    team: str
    task: Task
    stored: Interval
    now: Interval | None
    """None where no right kernel was found."""

    def document(self) -> Json:
        """As JSON; the new speedup is absent where there is none."""
        speedups = {"stored": self.stored, "now": self.now}
        known = {name: interval_document(value, "geomean") for name, value in speedups.items() if value}
        return {"team": self.team, "operator": self.task[0], "precision": self.task[1]} | known


@dataclass(frozen=True, slots=True)
class Comparison:
    """New scores against stored ones."""

    compared: int
    """Tasks that both have, on the same ground and over the same baseline."""
    not_comparable: tuple[str, ...]
    """Why others were not, one sentence a reason."""
    regressions: tuple[Regression, ...]

    def document(self) -> Json:
        """As JSON."""
        return {
            "compared": self.compared,
            "not_comparable": list(self.not_comparable),
            "regressions": [regression.document() for regression in self.regressions],
        }


def compare(entries: Sequence[Entry], stored: Sequence[Entry]) -> Comparison:
    """Each finished task of `entries` with the best stored kernel of the same task, device and clock."""
    compared, reasons, found = 0, dict[str, int](), list[Regression]()
    for entry, score, other, ground in _pairs(entries, stored):
        if reason := _unlike(entry.ground, score, ground, other):
            reasons[reason] = reasons.get(reason, 0) + 1
            continue
        compared += 1
        assert other.speedup is not None
        if is_worse(score.speedup, other.speedup, entry.ground.clock):
            found.append(Regression(entry.team, score.task, other.speedup, score.speedup))
    said = tuple(f"{count} not compared: {reason}" for reason, count in reasons.items())
    return Comparison(compared, said, tuple(found))


def _pairs(entries: Sequence[Entry], stored: Sequence[Entry]) -> list[tuple[Entry, Score, Score, Ground]]:
    """Every finished task with the stored score that it is to be held against."""
    return [
        (entry, score, *best)
        for entry in entries
        for task, score in entry.scores.items()
        if score.status.done and (best := _best(task, entry.ground, stored)) is not None
    ]


def _best(task: Task, ground: Ground, stored: Sequence[Entry]) -> tuple[Score, Ground] | None:
    """The fastest stored kernel of that device and clock, one of the same clock version before all others."""
    found = [
        (entry.ground == ground, score.speedup.low, score, entry.ground)
        for entry in stored
        if (entry.ground.clock, entry.ground.device) == (ground.clock, ground.device)
        and (score := entry.scores.get(task)) is not None
        and score.speedup is not None
    ]
    return max(found, key=lambda one: one[:2])[2:] if found else None


def _unlike(ground: Ground, score: Score, other_ground: Ground, other: Score) -> str:
    """Why the two speedups do not mean the same; empty where they do."""
    if ground.clock_version != other_ground.clock_version:
        was, now = clock_text(other_ground.clock_version), clock_text(ground.clock_version)
        return f"the clock was {was}, and is {now}"
    if score.baseline_sha256 != other.baseline_sha256:
        return "the baseline is another one now"
    return ""


def is_worse(now: Interval | None, stored: Interval, clock: str) -> bool:
    """Whether a speedup lies wholly below the stored one; modelled, by more than the model can tell apart."""
    return now is None or faster_than(stored, now, clock)
