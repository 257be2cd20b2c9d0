"""`python -m benchmarks.mutation`: puts small faults into honest kernels and has the referee judge each.

Keeps what it finds in docs/mutation.json, mutant by mutant, and writes docs/mutation.md. With names of
operators it does only those; `--page` only writes the page. Mutants that are kept are not judged again:
a run that was ended goes on where it was. `--anew` forgets them first.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click

from benchmarks.mutation.honest import GPU, Honest, honest_kernels
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
Kept = dict[str, list[Row]]


@click.command()
@click.argument("operators", nargs=-1)
@click.option("--page", "only_page", is_flag=True, help="Only write the page.")
@click.option("--anew", is_flag=True, help="Judge mutants again that are kept.")
@click.option("--jobs", default=2, show_default=True, help="Mutants judged at a time.")
def main(operators: tuple[str, ...], only_page: bool, anew: bool, jobs: int) -> None:
    kept: Kept = json.loads(STORED.read_text())["kernels"] if STORED.exists() else {}
    if not only_page:
        chosen = [honest for honest in honest_kernels() if not operators or honest.operator.name in operators]
        for honest in chosen if anew else ():
            kept.pop(honest.name, None)
        for name, rows in judged(chosen, kept, jobs):
            kept[name] = rows
            keep(kept)
            print(f"{name:36s} {score(rows)}", flush=True)
    PAGE.write_text(page({"kernels": kept}))


def keep(kept: Kept) -> None:
    """Write all rows; who is ended meanwhile leaves the old ones."""
    new = STORED.with_suffix(".new")
    new.write_text(json.dumps({"kernels": kept}, indent=1) + "\n")
    new.replace(STORED)


def judged(
    chosen: Sequence[Honest], kept: Mapping[str, list[Row]], jobs: int
) -> Iterator[tuple[str, list[Row]]]:
    """The rows of a kernel after each verdict, one kernel after the other."""
    device = VirtualDevice(GPU, limits=VirtualLimits(seconds=SECONDS))
    try:
        for honest in chosen:
            referee = Referee(device, honest.operator, honest.precision, sets=SETS)
            for rows in judge(referee, honest, kept.get(honest.name, []), jobs):
                yield honest.name, rows
    finally:
        device.close()


def judge(referee: Referee, honest: Honest, kept: Sequence[Row], jobs: int) -> Iterator[list[Row]]:
    """One row for every mutant, told after each; those that are kept are not judged again."""
    known = {identity(row): row for row in kept}
    made = mutants(honest.source, honest.precision, honest.sizes, MOST)
    places = [identity(named(mutant)) for mutant in made]
    missing = [mutant for mutant, place in zip(made, places, strict=True) if place not in known]
    if missing:
        own = referee.evaluate(honest.source, sets=("check",))
        assert own.status is Status.CORRECT, f"{honest.name} is not honest: {own.reason}"
    with ThreadPoolExecutor(jobs) as pool:
        for row in pool.map(lambda mutant: named(mutant) | verdict(referee, mutant.source), missing):
            known[identity(row)] = row
            yield [known[place] for place in places if place in known]


def named(mutant: Mutant) -> Row:
    """What tells a mutant from others of its kernel."""
    return {name: getattr(mutant, name) for name in IDENTITY}


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
