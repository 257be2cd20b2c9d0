"""An evaluation for people; its JSON document is `Evaluation.document()`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cudamaster.report.figures import (
    clocked,
    counts_as,
    interval_words,
    percent,
    shape_text,
    slower_words,
    times,
)
from cudamaster.toolchain.profile import Profile
from mskernelbench.evaluation import Evaluation, Vendor, WorkloadResult
from mskernelbench.operator import BaselineKind

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = (
    "set",
    "shape",
    "error",
    "base ms",
    "ms",
    "speedup",
    "roofline",
    "bound",
    "vendor ms",
    "over it",
    "",
)
"""Short, so that a row fits 80 columns where there is no vendor's arm.

`error` is a share of the bound, `roofline` the attainment, `over it` the speedup over the vendor's own.
The last column says what is something else in the means.
"""
LEFT = ("set", "shape", "bound", "")
FOLDED = ("shape", "")
ON_THE_DEVICE = ("memcpy", "memset")
"""What a profile tells beside kernels and is no call that the host waits for."""
MUCH = 0.2


def verdict_lines(evaluation: Evaluation) -> list[str]:
    """Status, reason, and the figures that the status allows."""
    lines = [f"{evaluation.status}: {evaluation.reason}"]
    if evaluation.guard:
        lines.append(f"guard {evaluation.guard}")
    if evaluation.speedup:
        over = "" if evaluation.baseline is BaselineKind.FAIR else f" over the {evaluation.baseline} baseline"
        lines.append(f"speedup {times(evaluation.speedup)}{over}, {clocked(evaluation.clock)}")
        if slower := slower_words(evaluation.speedup):
            lines.append(f"warning: {slower}")
    if evaluation.paper_score is not None:
        lines.append(f"paper score {evaluation.paper_score:.2f}")
    if evaluation.attainment is not None:
        lines.append(f"attainment {percent(evaluation.attainment)} of the roofline")
    if evaluation.vendor:
        lines.append(vendor_line(evaluation.vendor))
    shown = [*lines, *(cell for row in workload_rows(evaluation) for cell in row)]
    legend = interval_words("\n".join(shown), evaluation.clock)
    return [*lines, legend] if legend else lines


def vendor_line(vendor: Vendor) -> str:
    """`1.20x over CUB 3.0.1, the vendor's own`, or why there is no such figure."""
    if vendor.speedup is None:
        return f"not compared with {vendor.library}, the vendor's own: {vendor.lacks}"
    return f"{times(vendor.speedup)} over {vendor.library}, the vendor's own"


def host_calls_line(profile: Profile, shape: Mapping[str, object], pattern: str | None) -> str:
    """What calls of the host take of one call of the entry; empty up to a fifth of its time."""
    calls = [k for k in profile.kernels if not k.symbol and k.name not in ON_THE_DEVICE]
    share = sum(call.time_ms for call in calls) / profile.time_ms if profile.time_ms else 0.0
    if share <= MUCH:
        return ""
    parts = ", ".join(f"{call.name} {1e3 * call.time_ms:.4g} us" for call in calls)
    where = shape_text(shape, pattern)
    return f"host calls take {100 * share:.0f} % of the modelled time on {where}: {parts}"


def workload_table(evaluation: Evaluation) -> "Table":
    """One row a workload and a column for every figure that some workload has.

    Nothing is cut where the screen is narrow: only shapes and the last may go on in a second line.
    """
    from rich.box import SIMPLE
    from rich.table import Table

    rows = workload_rows(evaluation)
    shown = [i for i in range(len(COLUMNS)) if any(row[i] for row in rows)]
    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    for name in (COLUMNS[i] for i in shown):
        table.add_column(
            name,
            justify="left" if name in LEFT else "right",
            no_wrap=name not in FOLDED,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(row[i] for i in shown))
    return table


def workload_rows(evaluation: Evaluation) -> list[tuple[str, ...]]:
    """The table's cells."""
    return [
        (
            w.set,
            shape_text(w.shape, w.pattern),
            _cell(w.error_ratio, ".3f"),
            _cell(w.baseline_ms, ".4g"),
            _cell(w.candidate_ms, ".4g"),
            times(w.speedup) if w.speedup else "",
            percent(w.attainment) if w.attainment is not None else "",
            w.bound or "",
            _cell(w.vendor_ms, ".4g"),
            times(w.vendor_speedup) if w.vendor_speedup else "",
            _credit(w),
        )
        for w in evaluation.workloads
    ]


def _credit(row: WorkloadResult) -> str:
    """What the row is in the means, where that is not its own speedup."""
    credited = row.credited.speedup
    return "" if row.counted or credited is None else counts_as(credited)


def _cell(figure: float | None, form: str) -> str:
    return "" if figure is None else format(figure, form)
