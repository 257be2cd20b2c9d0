"""Tables of entries: one for each ground, so that measured and modelled figures never stand in one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cudamaster.bench.score import Score, TaskStatus
from cudamaster.leaderboard.entries import Entry, Ground
from cudamaster.report.document import Json
from mskernelbench.catalog import all_tasks, load_operator
from mskernelbench.scores import THRESHOLDS, Task, cumulative_success, geometric_mean

if TYPE_CHECKING:
    from pandas import DataFrame

DIMENSIONS = ("scenario", "precision", "operator")
RULE = (
    "A task is an operator at a precision. Its speedup S is the geometric mean, over all timed workloads, "
    "of the fair baseline's time ÷ the best kernel's (1 where a gain is not proved), and exists only "
    "where the referee held that kernel right on every workload. Success at τ is the share of all tasks "
    "of the row with S ≥ τ, as in arXiv 2603.07169: a tie (S = 1) counts at τ = 1; a task that failed, "
    "gained nothing, is unfinished or was never tried counts as not reached. Right counts the tasks for "
    "which a kernel was held right, faster or not. Speedup, P (the paper's score) and attainment are "
    "geometric means over the tasks whose best is right on every workload and no slower than the "
    "baseline, as far as can be told, [ ] the means of their intervals' ends. Dollars and minutes are "
    "means over the tasks worked on."
)


@dataclass(frozen=True, slots=True)
class Table:
    """The standings on one ground."""

    ground: Ground
    rows: list[Json]
    """Best success first; figures that do not exist are absent."""


def tables_of(entries: Sequence[Entry], by: Sequence[str] = ()) -> list[Table]:
    """One table for each ground, measured ones first; a row for each team, or for each of its parts."""
    grounds = dict.fromkeys(entry.ground for entry in entries)
    ordered = sorted(grounds, key=lambda ground: (ground.clock != "measured", ground.device))
    return [Table(ground, _rows([e for e in entries if e.ground == ground], by)) for ground in ordered]


def _rows(entries: Sequence[Entry], by: Sequence[str]) -> list[Json]:
    """Each group's row: by part where there are parts, and there the most successful team first."""
    groups = frame_of(entries).groupby([*by, "team"], sort=False)
    rows = [dict(zip((*by, "team"), key, strict=True)) | summary(group) for key, group in groups]
    order = {task: number for number, task in enumerate(all_tasks())}
    places = {name: {value: number for number, value in enumerate(_values(name, order))} for name in by}
    return sorted(rows, key=lambda row: (*(places[name][row[name]] for name in by), *_rank(row)))


def _values(name: str, tasks: dict[Task, int]) -> list[str]:
    """A dimension's values in the order of the tasks."""
    return list(dict.fromkeys(_dimensions(task)[name] for task in tasks))


def _rank(row: Json) -> tuple[Any, ...]:
    """By success at 1, then 2, 4, 8, then by speedup; the name last, so that the order is always the same."""
    return (
        *(-share for share in row["success"].values()),
        -row.get("speedup", {}).get("geomean", 0.0),
        row["team"],
    )


def frame_of(entries: Sequence[Entry]) -> "DataFrame":
    """A line for every entry and every task of the benchmark, tried or not; what does not exist is None."""
    from pandas import DataFrame

    lines = [
        {"team": entry.team} | _dimensions(task) | {"score": entry.scores.get(task)}
        for entry in entries
        for task in all_tasks()
    ]
    return DataFrame(lines, dtype=object)


def _dimensions(task: Task) -> dict[str, str]:
    operator, precision = task
    return {"scenario": str(load_operator(operator).category), "precision": precision, "operator": operator}


def summary(group: "DataFrame") -> Json:
    """The figures of one group of tasks."""
    scores: list[Score] = [score for score in group["score"] if score is not None]
    done = [score for score in scores if score.status.done]
    speedups = [score and score.speedup and score.speedup.centre for score in group["score"]]
    shares = cumulative_success(speedups, THRESHOLDS)
    return {
        "tasks": len(group),
        "tried": len(done),
        "right": sum(score.status is not TaskStatus.FAILED for score in done),
        "success": {f"{threshold:g}": share for threshold, share in shares.items()},
    } | _means(done)


def _means(done: Sequence[Score]) -> Json:
    speedups = [score.speedup for score in done if score.speedup]
    figures: Json = {
        "speedup": {
            "geomean": geometric_mean([s.centre for s in speedups]),
            "low": geometric_mean([s.low for s in speedups]),
            "high": geometric_mean([s.high for s in speedups]),
        }
        if speedups
        else None,
        "paper_score": _geomean([score.paper_score for score in done]),
        "attainment": _geomean([score.attainment for score in done]),
        "won_from_vendor": _mean([s.vendor_speedup.low > 1 if s.vendor_speedup else None for s in done]),
        "usd_a_task": _mean([score.cost_usd for score in done]),
        "minutes_a_task": _mean([score.minutes for score in done]),
    }
    return {name: value for name, value in figures.items() if value is not None}


def _geomean(figures: Sequence[float | None]) -> float | None:
    known = [figure for figure in figures if figure]
    return geometric_mean(known) if known else None


def _mean(figures: Sequence[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) / len(known) if known else None
