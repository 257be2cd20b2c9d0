"""What is told of a run: the document `cudamaster.run/1` and the closing table."""

import math
from statistics import fmean
from typing import TYPE_CHECKING

from cudamaster.report.document import Json
from cudamaster.report.figures import clocked, percent, times
from cudamaster.search.outcome import INTERRUPTED, Best, Outcome
from mskernelbench.evaluation import Evaluation, interval_document

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA = "cudamaster.run/1"
STOPPED_BY = {
    "rounds": "all rounds are done",
    "minutes": "the time is used up",
    "attainment": "the best attains 95 % of the roofline",
    "nothing_left": "no strategy that is left is likely to gain",
    INTERRUPTED: "interrupted",
}
"""Each reason to stop, as a clause."""


def run_document(outcome: Outcome) -> Json:
    """The JSON document of `optimize` and `resume`."""
    settings = outcome.settings
    return {
        "schema": SCHEMA,
        "run": outcome.run,
        "operator": settings.operator,
        "precision": settings.precision,
        "device": settings.device,
        "clock": outcome.clock,
        "model": settings.model,
        "rounds": outcome.rounds,
        "candidates": outcome.candidates,
        "stopped_by": outcome.stopped_by,
        "baseline": outcome.baseline and baseline_document(outcome.baseline),
        "best": outcome.best and best_document(outcome.best),
        "cost_usd": outcome.cost_usd,
        "tokens": outcome.tokens,
        "seconds": round(outcome.seconds, 3),
        "record": outcome.record,
        "stored": outcome.stored,
        "folder": outcome.folder,
    }


def baseline_document(evaluation: Evaluation) -> Json:
    """The baseline's own figures: its times, and how near the roofline they are."""
    rows = [
        {
            "set": w.set,
            "shape": dict(w.shape),
            "ms": w.candidate_ms,
            "attainment": w.attainment,
            "bound": w.bound,
        }
        for w in evaluation.workloads
        if w.candidate_ms is not None
    ]
    figures = {"geomean_ms": geomean_ms(evaluation), "attainment": evaluation.attainment}
    return {key: figure for key, figure in figures.items() if figure is not None} | {"workloads": rows}


def geomean_ms(evaluation: Evaluation) -> float | None:
    """Geometric mean of the candidate's times, in milliseconds; None where nothing was timed."""
    logarithms = [math.log(w.candidate_ms) for w in evaluation.workloads if w.candidate_ms]
    return math.exp(fmean(logarithms)) if logarithms else None


def best_document(best: Best) -> Json:
    """The best kernel: what it is, and its figures."""
    figures = {
        "speedup": interval_document(best.evaluation.speedup, "geomean"),
        "attainment": best.evaluation.attainment,
    }
    return {
        "kernel": best.kernel,
        "kernel_sha256": best.kernel_sha256,
        "strategy": best.plan.strategy,
        "round": best.round,
    } | {key: figure for key, figure in figures.items() if figure is not None}


def closing_table(outcome: Outcome) -> "Table":
    """The few lines a user wants at the end: what was gained, why, and where it lies."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in closing_rows(outcome):
        table.add_row(name, text)
    return table


def closing_rows(outcome: Outcome) -> list[tuple[str, str]]:
    """The closing table as names and texts."""
    rows = [("baseline", _baseline_text(outcome))]
    if outcome.best is None:
        rows.append(("best", "nothing beat the baseline"))
    else:
        rows += _best_rows(outcome, outcome.best)
    stopped = STOPPED_BY[outcome.stopped_by]
    spent = f"{outcome.rounds} rounds, {outcome.candidates} candidates, {outcome.seconds:.0f} s"
    rows.append(("stopped", f"{stopped} ({spent})"))
    if outcome.stopped_by == INTERRUPTED:
        rows.append(("go on with", f"cudamaster resume {outcome.run}"))
    return rows


def _baseline_text(outcome: Outcome) -> str:
    if outcome.baseline is None:
        return "not judged yet"
    milliseconds = geomean_ms(outcome.baseline)
    time = f"{milliseconds:.4g} ms {outcome.clock}" if milliseconds else str(outcome.baseline.status)
    return f"{time}, {percent(outcome.baseline.attainment)} of the roofline"


def _best_rows(outcome: Outcome, best: Best) -> list[tuple[str, str]]:
    evaluation = best.evaluation
    milliseconds = geomean_ms(evaluation)
    bounds = sorted({w.bound for w in evaluation.workloads if w.bound})
    provisional = " on the rounds' workloads" if outcome.stopped_by == INTERRUPTED else ""
    return [
        ("best", f"{milliseconds:.4g} ms {outcome.clock}" if milliseconds else "not timed"),
        ("speedup", f"{times(evaluation.speedup)} {clocked(outcome.clock)}{provisional}"),
        ("attainment", f"{percent(evaluation.attainment)} of the roofline, {' and '.join(bounds)}-bound"),
        ("changed", f"{best.plan.change} ({best.plan.strategy}, round {best.round})"),
        ("why", best.plan.reason),
        *([("lesson", best.lesson)] if best.lesson else []),
        ("kernel", best.kernel),
        *([("record", _record_text(outcome))] if outcome.record else []),
    ]


def _record_text(outcome: Outcome) -> str:
    return (
        f"{outcome.record}"
        if outcome.stored
        else f"{outcome.record} holds a kernel that is as fast, and stays"
    )
