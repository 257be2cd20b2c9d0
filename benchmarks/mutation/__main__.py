"""`python -m benchmarks.mutation`: puts small faults into honest kernels and has the referee judge each.

Keeps what it finds in docs/mutation.json, kernel by kernel, and writes docs/mutation.md. With names of
operators it does only those; `--page` only writes the page. Mutants that are kept are not judged again.
"""

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click

from benchmarks.mutation.honest import Honest, honest_kernels
from benchmarks.mutation.mutators import Mutant, mutants
from benchmarks.mutation.page import page, score
from cudamaster.toolchain.devices.virtual.device import VirtualDevice, VirtualLimits
from mskernelbench.evaluation import Status
from mskernelbench.referee import SETS, Referee

DOCS = Path(__file__).parents[2] / "docs"
STORED, PAGE = DOCS / "mutation.json", DOCS / "mutation.md"
MOST = 2
"""Mutants of a kind in one kernel."""
IDENTITY = ("mutator", "line", "column", "before", "after")
SECONDS = 20.0
"""That one call of a mutant may take."""


Row = dict[str, Any]


@click.command()
@click.argument("operators", nargs=-1)
@click.option("--page", "only_page", is_flag=True, help="Only write the page.")
@click.option("--anew", is_flag=True, help="Judge mutants again that are kept.")
def main(operators: tuple[str, ...], only_page: bool, anew: bool) -> None:
    kept: dict[str, list[Row]] = json.loads(STORED.read_text())["kernels"] if STORED.exists() else {}
    if not only_page:
        for name, rows in judged(operators, {} if anew else kept):
            kept[name] = rows
            STORED.write_text(json.dumps({"kernels": kept}, indent=1) + "\n")
            print(f"{name:36s} {score(rows)}", flush=True)
    PAGE.write_text(page({"kernels": kept}))


def judged(operators: tuple[str, ...], kept: Mapping[str, list[Row]]) -> Iterator[tuple[str, list[Row]]]:
    """The rows of one honest kernel after the other."""
    device = VirtualDevice(limits=VirtualLimits(seconds=SECONDS))
    for honest in honest_kernels(device.spec):
        if not operators or honest.operator.name in operators:
            referee = Referee(device, honest.operator, honest.precision, sets=SETS)
            yield honest.name, judge(referee, honest, kept.get(honest.name, []))
    device.close()


def judge(referee: Referee, honest: Honest, kept: list[Row]) -> list[Row]:
    """One row for every mutant; those that are kept are not judged again."""
    own = referee.evaluate(honest.source, sets=("check",))
    assert own.status is Status.CORRECT, f"{honest.name} is not honest: {own.reason}"
    known = {identity(row): row for row in kept}

    def row(mutant: Mutant) -> Row:
        new = {name: getattr(mutant, name) for name in IDENTITY}
        return known.get(identity(new)) or new | verdict(referee, mutant.source)

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(row, mutants(honest.source, honest.precision, honest.sizes, MOST)))


def verdict(referee: Referee, source: str) -> Row:
    """Status, rule, and the set that showed it: `check`, or `timed` where only a full verdict did."""
    checked = referee.evaluate(source, sets=("check",))
    if checked.status is not Status.CORRECT:
        return {"status": str(checked.status), "rule": checked.rule, "set": "check"}
    full = referee.evaluate(source)
    if full.status is Status.CORRECT:
        return {"status": "correct", "rule": None, "set": None}
    return {"status": str(full.status), "rule": full.rule, "set": "timed"}


def identity(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Tells mutants of one kernel apart."""
    return tuple(row[name] for name in IDENTITY)


if __name__ == "__main__":
    main()
