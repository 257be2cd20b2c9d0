"""Standings as text: a table for the terminal, Markdown, CSV, or one JSON document."""

import re
from collections.abc import Iterator, Sequence
from textwrap import fill

from cudamaster.errors import UsageError
from cudamaster.leaderboard.entries import Ground
from cudamaster.leaderboard.regressions import Comparison, Regression
from cudamaster.leaderboard.standings import RULE, Table
from cudamaster.report.document import Json
from cudamaster.report.figures import clock_text, clocked, counted, percent, times
from mskernelbench.evaluation import Interval
from mskernelbench.scores import THRESHOLDS

SCHEMA = "cudamaster.standings/1"
WIDTH = 110
HEADS = {
    "tried": "tried",
    "right": "right",
    **{f"success {t:g}": f"≥ {t:g}x" for t in THRESHOLDS},
    "speedup": "speedup",
    "paper_score": "paper's P",
    "attainment": "attains",
    "won_from_vendor": "beats vendor",
    "usd_a_task": "$ / task",
    "minutes_a_task": "min / task",
}
"""A column for each figure; those that no row of a table has are left out."""
LESS_WANTED = ("minutes_a_task", "usd_a_task", "right", "attainment", "won_from_vendor", "paper_score")
"""What a narrow terminal goes without, in this order."""
GAP = 2
"""Characters between two columns of a terminal."""
FORMULA = ("=", "+", "-", "@")
"""What a spreadsheet's formulas begin with."""


def document(tables: Sequence[Table], by: Sequence[str], compared: Comparison | None) -> Json:
    """`cudamaster.standings/1`."""
    against = {} if compared is None else {"against": compared.document()}
    shown = [
        {"clock": t.ground.clock, "device": t.ground.device, "clock_version": t.ground.clock_version}
        | {"rows": t.rows}
        for t in tables
    ]
    return {"schema": SCHEMA, "rule": RULE, "by": list(by), "tables": shown} | against


def heading(ground: Ground) -> str:
    """`virtual:h200, modelled (not measured on a GPU), time model 807e0365256f`."""
    return f"{ground.device}, {clocked(ground.clock)}, {clock_text(ground.clock_version)}"


def columns_of(table: Table, by: Sequence[str]) -> list[str]:
    """What names a row, and the figures that some row has."""
    shares = [f"success {t:g}" for t in THRESHOLDS]
    return [*by, "team", *(n for n in HEADS if n in shares or any(n in row for row in table.rows))]


def cells(row: Json, columns: Sequence[str]) -> tuple[str, ...]:
    """One row as people read it."""
    return tuple(_cell(row, name) for name in columns)


def _cell(row: Json, name: str) -> str:
    if name.startswith("success "):
        share: float = row["success"][name.removeprefix("success ")]
        return f"{100 * share:.0f} %"
    if name not in row:
        return ""
    value = row[name]
    match name:
        case "tried":
            return f"{value} of {row['tasks']}"
        case "speedup":
            return times(Interval(value["geomean"], value["low"], value["high"]))
        case "paper_score" | "usd_a_task":
            return f"{value:.2f}"
        case "minutes_a_task":
            return f"{value:.1f}"
        case "attainment" | "won_from_vendor":
            return percent(value)
    return str(value)


def heads(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns' headings."""
    return tuple(HEADS.get(name, name) for name in columns)


def fitting(table: Table, by: Sequence[str], width: int) -> list[str]:
    """The columns that so many characters hold with no word broken; the less wanted are left out first."""
    columns = columns_of(table, by)
    for name in LESS_WANTED:
        if _width(table, columns) <= width:
            break
        columns = [column for column in columns if column != name]
    return columns


def left_out(table: Table, by: Sequence[str], shown: Sequence[str]) -> str:
    """What a narrow terminal goes without, and where it is; empty where it goes without nothing."""
    names = heads([name for name in columns_of(table, by) if name not in shown])
    return f"no room here for {', '.join(names)}: --format markdown has all columns" if names else ""


def _width(table: Table, columns: Sequence[str]) -> int:
    """Characters of a table in which only a team's name goes on in a second line, at a blank."""
    rows = [two_lines(columns), *(cells(row, columns) for row in table.rows)]
    widths = (
        max(map(len, _parts(name, texts)))
        for name, texts in zip(columns, zip(*rows, strict=True), strict=True)
    )
    return sum(width + GAP for width in widths)


def _parts(name: str, texts: Sequence[str]) -> list[str]:
    return [part for text in texts for part in (text.split() if name == "team" else text.split("\n"))]


def two_lines(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns' headings, those of two words in two lines."""
    return tuple(head if head.startswith("≥") else "\n".join(head.rsplit(" ", 1)) for head in heads(columns))


def rule_lines() -> str:
    """The rule, broken into lines."""
    return fill(RULE, WIDTH)


def markdown(tables: Sequence[Table], by: Sequence[str], compared: Comparison | None) -> str:
    """A section for each table, with the rule behind them."""
    sections = [f"### {_escaped(heading(table.ground))}\n\n{markdown_table(table, by)}" for table in tables]
    if compared is not None:
        sections.append(
            "### Against the stored results\n\n" + "\n".join(f"* {_escaped(x)}" for x in told(compared))
        )
    return "\n\n".join([*sections, rule_lines()])


def markdown_table(table: Table, by: Sequence[str]) -> str:
    """One table, without what it is of."""
    columns = columns_of(table, by)
    lines = [heads(columns), ("---",) * len(columns), *(cells(row, columns) for row in table.rows)]
    return "\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines)


def _escaped(cell: str) -> str:
    """A model's name may hold anything: no mark of Markdown or HTML in it works, and it calls nobody."""
    text = re.sub(r"[\\`|<\[\]*~&]|(?<!\w)_|_(?!\w)", r"\\\g<0>", " ".join(cell.split()))
    return re.sub(r"@(?=\w)", "@<!-- -->", text)


def csv(tables: Sequence[Table], by: Sequence[str]) -> str:
    """One table, every figure in full. Raises UsageError where there are several."""
    if len(tables) > 1:
        grounds = "; ".join(heading(table.ground) for table in tables)
        raise UsageError(
            f"csv holds one table, and these files make {len(tables)} ({grounds}): name fewer files"
        )
    from pandas import json_normalize

    rows = [row | _ground(table.ground) for table in tables for row in table.rows]
    flat = json_normalize([{name: _no_formula(value) for name, value in row.items()} for row in rows])
    text: str = flat.to_csv(index=False)
    return text.rstrip("\n")


def _no_formula(value: object) -> object:
    """A text that a spreadsheet would take for a formula gets the mark by which it does not."""
    return f"'{value}" if isinstance(value, str) and value[:1] in FORMULA else value


def _ground(ground: Ground) -> Json:
    return {"clock": ground.clock, "device": ground.device, "clock_version": ground.clock_version}


def told(compared: Comparison) -> Iterator[str]:
    """A line for each regression, and what was compared."""
    for regression in compared.regressions:
        yield _regression_line(regression)
    worse = counted(len(compared.regressions), "regression")
    yield f"{counted(compared.compared, 'task')} compared with stored results, {worse}"
    yield from compared.not_comparable


def _regression_line(worse: Regression) -> str:
    now = "no right kernel that gains" if worse.now is None else times(worse.now)
    return f"regression: {' '.join(worse.task)} by {worse.team}: {now}, stored {times(worse.stored)}"
