"""The table at the end of a check."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE
from rich.console import Group
from rich.table import Table
from rich.text import Text

from benchmarks.gpu_check.nouns import DONE, FAILED, SKIPPED, Row

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
    table.add_row(Text("agreement"), "", "", Text(figures_text(told["agreement"])))
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
        return " of ".join(map(_text, value)) if len(value) == 2 else str(len(value))
    return "none" if value is None else str(value)


def troubles(told: Row) -> list[str]:
    """What failed or was skipped, the first few of each part."""
    lines = []
    for name, part in told["parts"].items():
        odd = [row for row in part["rows"] if row["status"] in (FAILED, SKIPPED)]
        lines += [f"{name}: {row['key']} {row['status']}: {row.get('reason', '')}" for row in odd[:NAMED]]
        lines += [f"{name}: and {len(odd) - NAMED} more" for _ in odd[NAMED : NAMED + 1]]
        if not part["rows"]:
            lines.append(f"{name}: not reached")
    return lines
