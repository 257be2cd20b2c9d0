"""How a search went: the speedup of each candidate by the rounds' verdicts, and the best so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cudamaster.report.figures import counted
from cudamaster.store.codec import Json
from cudamaster.web.charts.scale import Scale, Tick, logarithmic
from mskernelbench.ratios import ratio_text

WIDTH, HEIGHT = 920, 190
LEFT, RIGHT, TOP, FOOT = 60, 900, 14, 150
CORRECT = "correct"


@dataclass(frozen=True, slots=True)
class Dot:
    """One judged candidate."""

    x: float
    y: float
    number: int
    kept: bool
    """Whether it is correct; else it lies on the axis, refused, be it at the end."""
    words: str


@dataclass(frozen=True, slots=True)
class ProgressChart:
    """All judged candidates of a run."""

    width: int
    height: int
    left: int
    right: int
    top: int
    foot: int
    one: float
    """Where the baseline lies."""
    ticks: Sequence[Tick]
    rounds: Sequence[Tick]
    """Where each begins."""
    dots: Sequence[Dot]
    best: Sequence[tuple[float, float]]
    """Corners of the line of the best so far."""
    words: str


def progress_chart(story: Json) -> ProgressChart | None:
    """The chart of a story; None where no candidate has a verdict yet."""
    judged = [(told["round"], c) for told in story["rounds"] for c in told["candidates"] if "verdict" in c]
    if not judged:
        return None
    places = _places(len(judged))
    y = logarithmic([1.0, *(_centre(c) for _, c in judged if _held(c))], FOOT - 16, TOP, room=1.25)
    begun = {number: x for x, (number, _) in reversed(list(zip(places, judged, strict=True)))}
    return ProgressChart(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=RIGHT,
        top=TOP,
        foot=FOOT,
        one=y.at(1.0),
        ticks=y.ticks(lambda value: f"{value:g}x"),
        rounds=[Tick(x, f"round {number}") for number, x in sorted(begun.items())],
        dots=[_dot(c, x, y) for x, (_, c) in zip(places, judged, strict=True)],
        best=_best_line([c for _, c in judged], places, y),
        words="; ".join(_words(c) for _, c in judged),
    )


def _places(count: int) -> list[float]:
    step = (RIGHT - LEFT) / count
    return [round(LEFT + step * (i + 0.5), 1) for i in range(count)]


def _timed(verdict: Mapping[str, Any]) -> bool:
    return "speedup" in verdict


def _held(candidate: Json) -> bool:
    """Whether its round held it correct, and the end did not find otherwise."""
    return _timed(candidate["verdict"]) and _timed(candidate.get("end") or candidate["verdict"])


def _centre(candidate: Json) -> float:
    return float(candidate["verdict"]["speedup"]["geomean"])


def _dot(candidate: Json, x: float, y: Scale) -> Dot:
    kept = _held(candidate)
    height = y.at(_centre(candidate)) if kept else float(FOOT - 6)
    return Dot(x, height, candidate["number"], kept, _words(candidate))


def _words(candidate: Json) -> str:
    end = f"; at the end {_verdict_words(candidate['end'])}" if "end" in candidate else ""
    return f"#{candidate['number']} {candidate['strategy']}: {_verdict_words(candidate['verdict'])}{end}"


def _verdict_words(verdict: Json) -> str:
    of = f" on {counted(verdict['workloads'], 'workload')}" if "workloads" in verdict else ""
    figures = f", {ratio_text(float(verdict['speedup']['geomean']))}{of}" if _timed(verdict) else ""
    return f"{verdict['status']}{figures}"


def _best_line(candidates: Sequence[Json], places: Sequence[float], y: Scale) -> list[tuple[float, float]]:
    """A stair from the baseline on; as in the search, what is not surely faster than 1 is no best."""
    best, line = 1.0, [(float(LEFT), y.at(1.0))]
    for candidate, x in zip(candidates, places, strict=True):
        if _held(candidate) and float(candidate["verdict"]["speedup"]["low"]) > best:
            line.append((x, y.at(best)))
            best = float(candidate["verdict"]["speedup"]["low"])
            line.append((x, y.at(best)))
    return [*line, (float(RIGHT), y.at(best))]
