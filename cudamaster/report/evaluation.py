"""An evaluation for people; its JSON document is `Evaluation.document()`."""

from typing import TYPE_CHECKING

from cudamaster.report.figures import clocked, percent, shape_text, times
from mskernelbench.evaluation import Evaluation

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = ("set", "shape", "error/bound", "baseline ms", "kernel ms", "speedup", "attainment", "bound")


def verdict_lines(evaluation: Evaluation) -> list[str]:
    """Status, reason, and the figures that the status allows."""
    lines = [f"{evaluation.status}: {evaluation.reason}"]
    if evaluation.guard:
        lines.append(f"guard {evaluation.guard}")
    if evaluation.speedup:
        lines.append(f"speedup {times(evaluation.speedup)}, {clocked(evaluation.clock)}")
    if evaluation.paper_score is not None:
        lines.append(f"paper score {evaluation.paper_score:.2f}")
    if evaluation.attainment is not None:
        lines.append(f"attainment {percent(evaluation.attainment)} of the roofline")
    return lines


def workload_table(evaluation: Evaluation) -> "Table":
    """One row a workload; a figure that does not exist is blank."""
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, justify="left" if name in ("set", "shape", "bound") else "right")
    for row in workload_rows(evaluation):
        table.add_row(*row)
    return table


def workload_rows(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """The table's cells."""
    return [
        (
            w.set,
            shape_text(dict(w.shape)),
            _cell(w.error_ratio, ".3f"),
            _cell(w.baseline_ms, ".4g"),
            _cell(w.candidate_ms, ".4g"),
            times(w.speedup) if w.speedup else "",
            percent(w.attainment) if w.attainment is not None else "",
            w.bound or "",
        )
        for w in evaluation.workloads
    ]


def _cell(figure: float | None, form: str) -> str:
    return "" if figure is None else format(figure, form)
