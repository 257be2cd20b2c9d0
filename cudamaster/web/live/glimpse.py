"""What a run's journal tells at one moment: how far it came, in words and figures, and its best so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any

from cudamaster.errors import BrokenStore
from cudamaster.report.events import EventLines, status
from cudamaster.report.stopping import STOPPED_BY
from cudamaster.search.settings import Settings
from cudamaster.search.story import story_of
from cudamaster.search.summing_up import seconds_worked
from cudamaster.search.user_workloads import workloads_timed
from cudamaster.store.codec import Json, Malformed, decode, well_formed
from cudamaster.store.results import OWN_SIZES, read_stored
from cudamaster.store.runs import RunFolder
from cudamaster.web.exhibits import Exhibit, operator_of
from cudamaster.web.pages.kernel import PAGE
from mskernelbench.evaluation import Evaluation
from mskernelbench.operator import Operator


class State(StrEnum):
    """Where a run is."""

    GOING = "going on"
    LEFT = "left"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Used:
    """How much of one part of a run's budget is used."""

    name: str
    used: float
    limit: float
    text: str


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A run as it stands."""

    run: str
    title: str
    """The operator and the precision."""
    settings: Settings
    first: Json
    """The event `started`: device, clock, versions, command."""
    state: State
    line: str
    """Where it is, as one clause."""
    judged: int
    """Candidates with a verdict, mends included."""
    told: tuple[str, ...]
    """What the command said so far, a line each."""
    budget: tuple[Used, ...]
    story: Json
    best: Exhibit | None
    """None while nothing is faster than the baseline."""
    crowned: bool
    """Whether that was judged on every workload, and not only on the few of the rounds."""
    result: str
    """The page of the best kernel among the stored results; empty where it is none of them."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What a run is seen beside."""

    results: Path
    """The stored results."""
    own: Path | None = None
    """The user's own folder of operators."""


def glimpse_of(run: RunFolder, left: bool, beside: Beside) -> Glimpse | None:
    """What is known of a run, on which no process works where it is `left`; None where it has not begun.

    Raises BrokenStore where the journal is damaged.
    """
    events = run.events()
    if not events or events[0]["event"] != "started":
        return None
    try:
        with well_formed():
            return _glimpse(run, events, left, beside)
    except Malformed as fault:
        raise BrokenStore(f"{run.journal_path} is damaged: {fault}") from fault


def _glimpse(run: RunFolder, events: list[Json], left: bool, beside: Beside) -> Glimpse:
    first = events[0]
    settings = decode(Settings, first["settings"])
    operator = operator_of(settings.operator, beside.own)
    lines = EventLines(first["clock"], workloads_timed(operator, settings) if operator else 0)
    told = tuple(line for line in map(lines.line, events) if line is not None)
    state = _state(events, left)
    story = story_of(events)
    crowning, judged = _fastest(events, "champion"), _fastest(events, "evaluation")
    fastest = crowning or judged
    return Glimpse(
        run=run.name,
        title=f"{operator.title if operator else settings.operator}, {settings.precision.upper()}",
        settings=settings,
        first=first,
        state=state,
        line=_line(state, events, run, lines, settings),
        judged=lines.judged,
        told=told,
        budget=tuple(_budget(events, settings, lines)),
        story=story,
        best=_exhibit(run, first, fastest, story, operator) if fastest else None,
        crowned=crowning is not None,
        result=_result(run, events[-1], beside.results),
    )


def _state(events: Sequence[Json], left: bool) -> State:
    ends = {"finished": State.FINISHED, "interrupted": State.INTERRUPTED}
    going = State.LEFT if left else State.GOING
    return ends.get(events[-1]["event"], going)


def _line(state: State, events: Sequence[Json], run: RunFolder, lines: EventLines, settings: Settings) -> str:
    again = f"'cudamaster resume {run.name}' goes on"
    match state:
        case State.FINISHED:
            return f"finished: {STOPPED_BY[events[-1]['outcome']['stopped_by']]}"
        case State.INTERRUPTED:
            return f"interrupted; {again}"
        case State.LEFT:
            return f"no process works on it any more; {again}"
    return status(lines, settings)


def _budget(events: list[Json], settings: Settings, lines: EventLines) -> list[Used]:
    """Rounds, and each limit that was set."""
    rounds = sum(event["event"] == "rewards" for event in events)
    minutes = seconds_worked(events) / 60
    used = [Used("rounds", rounds, settings.rounds, f"{rounds} of {settings.rounds}")]
    if limit := settings.max_minutes:
        used.append(Used("minutes", minutes, limit, f"{minutes:.1f} of {limit:g}"))
    if limit := settings.max_usd:
        used.append(Used("US dollars", lines.usd, limit, f"{lines.usd:.2f} of {limit:g}"))
    if limit := settings.max_tokens:
        used.append(Used("tokens", lines.tokens, limit, f"{lines.tokens:,} of {limit:,}"))
    return used


def _result(run: RunFolder, last: Json, results: Path) -> str:
    """Where the best kernel is shown, if it still is what `results` holds."""
    if last["event"] != "finished" or not last["outcome"].get("stored"):
        return ""
    parts = PurePosixPath(last["outcome"]["record"]).parent.parts
    place = PurePosixPath(*parts[-5 if OWN_SIZES in parts else -3 :])
    try:
        stored = read_stored(results / place)
    except BrokenStore:
        return ""
    return f"{place}/{PAGE}" if stored and stored.record.get("run") == run.name else ""


def _exhibit(run: RunFolder, first: Json, judged: Json, story: Json, operator: Operator | None) -> Exhibit:
    """A judged candidate as what the page of a result shows."""
    sources = run.artefacts()
    return Exhibit(
        place=PurePosixPath("runs", run.name),
        origin="",
        evaluation=decode(Evaluation, judged["value"]).document(),
        kernel=sources.read(judged["kernel"]),
        baseline=sources.read(first["baseline_sha256"]),
        operator=operator,
        story=story,
    )


def _fastest(events: list[Json], name: str) -> Json | None:
    """The fastest by verdicts of this name, which the end has not found to be none."""

    def low(event: Json) -> float:
        speedup: Any = event["value"]["speedup"]
        return float(speedup["low"]) if speedup else 0.0

    ends = {e["kernel"] for e in events if e["event"] == "champion" and low(e) <= 1.0}
    judged = [event for event in events if event["event"] == name and event["number"]]
    candidates = [event for event in judged if event["kernel"] not in ends]
    best = max(candidates, key=low, default=None)
    return best if best is not None and low(best) > 1.0 else None
