"""Writes docs/gauntlet.md from docs/gauntlet.json: `python docs/gauntlet_table.py`.

`python -m tests.gauntlet.ablation` judges all cheats and keeps there what refused them.
"""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
HEAD = """# The gauntlet: what refuses each cheat

Every file of `tests/gauntlet/cheats/` is judged on the virtual GPU, then again without the rule that
refused it, and so on until nothing is left that the referee can do without (its parameter `without`). A
row lists those rules in order. Of {count} cheats {refused} are refused: {twice} by at least two rules one
behind the other, {compared} by the comparison alone, on as many workloads as stand behind it, and {once} by
one other rule. Further {harmless} kernels, at the end of this page, are after something that gains them
nothing, and are accepted. `tests/gauntlet/test_cheats.py` holds the first rule of each,
`tests/gauntlet/test_honest.py` that harmless and honest kernels pass. `python -m tests.gauntlet.controls`
judges what must be accepted, on three seeds: at its last whole run 42 honest kernels, 108 baselines and 238
kernels of the built-in expert's strategies, and all were.

* **Named guards** are files of `mskernelbench/guards/`: {guards}.
* **comparison**: every element against float64, within a bound derived from its own terms. It is one
  rule, but on many independent workloads: behind it stands on how many of those that ran it found a wrong
  output. Among them are probes of exact whole numbers, one-hot rows, NaN, subnormal and huge numbers,
  empty and long rows.
* **What the device finds**: `out_of_bounds`, `input_written`, `uninitialised`, `race`, `deadlock`,
  `trap`, and `order_dependent`: two calls in different order disagree. Memory checks are left out all at
  a time.
* **What a timed call leaves behind**: a modelled time is that of a few blocks, so that what saves time shows
  in what these blocks wrote and touched. Above the sizes that are compared whole, elements that they wrote
  are compared, drawn after the call; where that cannot be (blocks that need each other), or an element is not
  right, the workload is called whole after all, and compared whole up to a limit, beyond it at drawn places.
  A gain counts there if the call was timed as all of its blocks ran, which costs too much on the heaviest:
  else it counts as none in the mean. Some gains are timed on other values as well, and one that is less there
  counts as what it is there.
  Heavy calls of blocks that wait for or count each other, of which nobody sees a whole one, are made whole
  for a few seconds: who leaves out most of the work ends in these, and is compared.
  `bytes_left_out` refuses calls that touch less of their arguments than any right call must, `works_on_host`
  those that send them to the host, and `unfair_sample` those whose timed blocks touch less than blocks drawn
  anywhere. On a GPU timed calls run whole; one of them, which nobody can foresee, is looked at
  (`timed_outputs`), and first calls on new data may take no longer than those that are timed (`remembers`).
* *In italics* is what cannot be left out: the compiler with its source gate, launches that fail, what the
  process of host code may not do (`crashed`), time limits, calls the runtime lacks.
* **accepted** at the end: without the rules before it, nothing refuses the cheat; with a figure, what it
  would be thought to gain.

"""
TABLE = """| cheat | what it does | operator | status | refused by, in order |
|---|---|---|---|---|
"""
HARMLESS = """
(GPU): what the cheat is after exists on a GPU only; here its calls are refused before they run.

## Harmless

| kernel | what it does | operator | speedup | why that is no cheat |
|---|---|---|---|---|
"""
TAIL = """
This page is made again by `python -m tests.gauntlet.ablation && python docs/gauntlet_table.py`.
"""
ALONE = frozenset(
    {"compiler", "entry", "launch_failed", "crashed", "timed_out", "unsupported", "deadlock", "trap"}
    | {"barrier_divergence", "assert", "illegal", "stack_overflow"}
)
"""Rules that stay, whatever is left out."""


def page(rows: list[dict[str, Any]]) -> str:
    """The whole page."""
    harmless = [row for row in rows if "since" in row]
    rows = [row for row in rows if "since" not in row]
    refused = [row for row in rows if row["rules"]]
    compared = sum(row["rules"] == ["comparison"] for row in refused)
    twice = sum(len(row["rules"]) > 1 for row in refused)
    figures = {
        "count": len(rows),
        "refused": len(refused),
        "twice": twice,
        "compared": compared,
        "once": len(refused) - twice - compared,
        "harmless": len(harmless),
        "guards": ", ".join(f"`{name}`" for name in named_guards()),
    }
    cheats, others = "".join(map(line, rows)), "".join(map(harmless_line, harmless))
    return HEAD.format(**figures) + TABLE + cheats + HARMLESS + others + TAIL


def named_guards() -> list[str]:
    """Names of all guards."""
    return sorted(p.stem for p in (FOLDER.parent / "mskernelbench/guards").glob("*/*.py") if p.stem[0] != "_")


def line(row: dict[str, Any]) -> str:
    """One row of the table."""
    name, what = named(row)
    cells = (name + (" (GPU)" if row["gpu"] else ""), what, row["operator"], row["status"])
    return f"| {' | '.join(cells)} | {', '.join(rules(row))} |\n"


def harmless_line(row: dict[str, Any]) -> str:
    """One row of the second table."""
    cells = (*named(row), row["operator"], f"{row['gains']:.2g}x", row["since"])
    return f"| {' | '.join(cells)} |\n"


def named(row: dict[str, Any]) -> tuple[str, str]:
    """Its name with its number, and what it does."""
    number, what = row["title"].split(": ", 1)
    return f"{number} {row['name'].split('_', 1)[1].replace('_', ' ')}", what


def rules(row: dict[str, Any]) -> list[str]:
    """What refused it, and how it ends."""
    names = [rule(name, row["wrong"]) for name in row["rules"]]
    if row["rules"] and row["rules"][-1] in ALONE:
        return names
    gain = f" ({row['gains']:.2g}x)" if row["gains"] is not None else ""
    return [*names, f"**accepted**{gain}"]


def rule(name: str, wrong: list[int]) -> str:
    """Its name, and where it is the comparison, how often it spoke."""
    if name == "comparison":
        return f"comparison ({wrong[0]} of {wrong[1]})"
    return f"*{name}*" if name in ALONE else name


if __name__ == "__main__":
    kept = json.loads((FOLDER / "gauntlet.json").read_text())
    (FOLDER / "gauntlet.md").write_text(page(kept))
