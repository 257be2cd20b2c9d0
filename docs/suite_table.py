"""Writes docs/suite.md from docs/suite.json: `python docs/suite_table.py`.

`cudamaster operators --check --keep docs/suite.json` judges all baselines and keeps their rows there; with
names of operators it replaces the rows of those.
"""

import json
from pathlib import Path
from typing import Any

from mskernelbench.catalog import all_tasks

FOLDER = Path(__file__).parent
HEAD = """# All baselines of MSKernelBench

Every operator at both precisions, judged as a candidate is: right on its `check` workloads and on those timed
ones that are cheap to compare, wrong answers tried on its comparison. Times are those of our fair baselines,
{clock} on {device} (seed {seed}); a set's figure is the geometric mean over its workloads. *Attains* is the
roofline time ÷ the baseline's over the `real` set, *bound* what limits the roofline there, *error* the
baseline's worst error ÷ its bound, *s* the seconds it took to judge on two busy cores.

| operator | precision | status | paper, ms | real, ms | attains | bound | error | s |
|---|---|---|---|---|---|---|---|---|
"""
TAIL = """
{sound} of {count} are correct. This page is made again by
`cudamaster operators --check --keep docs/suite.json && python docs/suite_table.py`.
"""


def page(document: dict[str, Any]) -> str:
    """The whole page: a line for every operator and precision there is, judged or not yet."""
    kept = {(row["operator"], row["precision"]): row for row in document["rows"]}
    rows = [kept.get(task, not_judged(*task)) for task in all_tasks()]
    sound = sum(row["status"] == "correct" and not row.get("reason") for row in rows)
    return HEAD.format(**document) + "".join(map(line, rows)) + TAIL.format(sound=sound, count=len(rows))


def not_judged(operator: str, precision: str) -> dict[str, Any]:
    """The row of a task that the file has none of."""
    return {"operator": operator, "precision": precision, "status": "not judged yet", "sets": {}}


def line(row: dict[str, Any]) -> str:
    """One row of the table."""
    sets = row["sets"]
    times = (figure(sets[name]["ms"], 4) if name in sets else "" for name in ("paper", "real"))
    last = sets.get("real") or sets.get("paper") or {}
    attains = f"{100 * last['attainment']:.1f} %" if last else ""
    bound = " ".join(last.get("bounds", ())[:1])
    error = f"{row['error_ratio']:.2f}" if "error_ratio" in row else ""
    status = row["status"] + (f": {row['reason']}" if row.get("reason") else "")
    seconds = f"{row['seconds']:.0f}" if "seconds" in row else ""
    cells = (row["operator"], row["precision"], status, *times, attains, bound, error, seconds)
    return f"| {' | '.join(cells)} |\n"


def figure(value: float, digits: int) -> str:
    """So many significant digits, never as a power of ten."""
    return f"{value:.{digits}g}" if value < 10**digits else f"{value:.0f}"


if __name__ == "__main__":
    document = json.loads((FOLDER / "suite.json").read_text())
    (FOLDER / "suite.md").write_text(page(document))
