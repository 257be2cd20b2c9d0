"""The table at the end of a check."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE
from rich.console import Group
from rich.table import Table
from rich.text import Text

from benchmarks.gpu_check.nouns import DONE, FAILED, OBJECTION, SKIPPED, Row

NAMED = 6
"""Items whose trouble is told by name; the document has all."""


def summary(told: Row) -> Group:
    """One line a part, one for model against GPU, then what failed or was skipped, and why."""
    table = Table(box=SIMPLE, pad_edge=False, title=title(told), title_justify="left")
    for name, side in (("part", "left"), ("done", "right"), ("failed", "right"), ("figures", "left")):
        table.add_column(name, justify="right" if side == "right" else "left")
    for name, part in told["parts"].items():
        counts = [sum(row["status"] == status for row in part["rows"]) for status in (DONE, FAILED)]
        table.add_row(Text(name), *map(str, counts), Text(figures_text(part["figures"])))
    if told["without"]:
        table.add_row(Text("kernels ran"), "", "", Text(f"without {', '.join(told['without'])}"))
    table.add_row(Text("agreement"), "", "", Text(agreement_text(told["agreement"])))
    return Group(table, *(Text(line) for line in troubles(told)))


def title(told: Row) -> str:
    """Which device, under what, by which clock."""
    return f"{told['title']} ({told['device']}), {told['clock_version']}, times {told['clock']}"


def figures_text(figures: Mapping[str, Any]) -> str:
    """Figures in one line; long lists by their length."""
    return ", ".join(f"{name.replace('_', ' ')} {_text(value)}" for name, value in figures.items()) or "-"


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, Mapping):
        short = value if all(isinstance(v, int | float) for v in value.values()) else {}
        return f"({figures_text(short)})" if short else str(len(value))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return str(len(value))
    return "none" if value is None else str(value)


def trouble(row: Row) -> str:
    """One row's, in a line."""
    if OBJECTION in row:
        return f"{row['key']}: {row[OBJECTION]}"
    return f"{row['key']} {row['status']}: {row.get('reason', '')}"


def proven(told: Row) -> bool:
    """Whether nothing failed or is held against the GPU; what was skipped or not reached is no fault."""
    rows = [row for part in told["parts"].values() for row in part["rows"]]
    return not any(row["status"] == FAILED or OBJECTION in row for row in rows)


def agreement_text(figures: Mapping[str, Any]) -> str:
    """How modelled and measured times go together, in one line."""
    if not figures["calibration"]:
        return f"{figures['times']} times are too few to speak of"
    rho, (right, asked) = figures["rank_correlation"], figures["ordered_right"]
    low, high = figures["calibration"]["quartiles"]
    words = f"{figures['times']} times, rank correlation {_text(rho)}, {right} of {asked} in order"
    factor = figures["calibration"]["factor"]
    return f"{words}, measured = {factor:.3g} x modelled (half of them {low:.3g} to {high:.3g})"


def troubles(told: Row) -> list[str]:
    """What failed, was skipped, or is held against the GPU, the first few of each part."""
    lines = []
    for name, part in told["parts"].items():
        odd = [row for row in part["rows"] if row["status"] in (FAILED, SKIPPED) or OBJECTION in row]
        lines += [f"{name}: {trouble(row)}" for row in odd[:NAMED]]
        lines += [f"{name}: and {len(odd) - NAMED} more" for _ in odd[NAMED : NAMED + 1]]
        if not part["rows"]:
            lines.append(f"{name}: not reached")
    return lines
