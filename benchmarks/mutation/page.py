"""The page of the mutation score: how many faults the referee finds, and why it does not find the others."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
Rows = Sequence[Row]
Place = tuple[str, str, int]
"""Kernel, fault and line: what names a survivor."""
EXPLAINED = Path(__file__).parent / "survivors.toml"
EQUIVALENT = "equivalent"
KINDS = {
    EQUIVALENT: "no result is wrong on any input",
    "harmless": "wrong by the language, right on every device",
    "not reached": "no workload whose outputs are compared is of that size",
}
HEAD = """# Faults that the referee finds

Small faults, of the kinds that people and models make, are put one at a time into honest kernels, those of
the table. The referee judges each on the operator's `check` workloads, then gives a full verdict, which looks
at what timed calls write. What does not compile is not counted. A change that makes no result wrong on any
input is no fault: such mutants are *equivalent*, and are argued for below.

{score}

| kernel | refused | of | equivalent | survived |
|---|---|---|---|---|
"""
BY_FAULT = """
| fault | refused | of |
|---|---|---|
"""
TAIL = """
This page is made again by `python -m benchmarks.mutation`, which keeps its rows in `docs/mutation.json` and
goes on where it was ended; a mutant takes about two seconds of a processor, a survivor ten or more. What is
said about survivors stands in `benchmarks/mutation/survivors.toml`.
"""


def page(document: Mapping[str, Any]) -> str:
    """The whole page from the stored rows."""
    kernels: Mapping[str, Rows] = document["kernels"]
    rows = [row for found in kernels.values() for row in found]
    lines = "".join(_kernel_line(name, found) for name, found in kernels.items())
    head = HEAD.format(score=_whole(kernels))
    return "".join([head, lines, BY_FAULT, *_fault_lines(rows), *_survivors(kernels), TAIL])


def explanations() -> Mapping[Place, Mapping[str, str]]:
    """What is said about survivors: `kind` (one of KINDS) and `why`."""
    entries = tomllib.loads(EXPLAINED.read_text())["survivor"]
    return {
        (kernel, entry["fault"], line): {"kind": entry["kind"], "why": entry["why"]}
        for entry in entries
        for kernel, lines in entry["where"].items()
        for line in lines
    }


def survivors(kernels: Mapping[str, Rows]) -> Iterator[tuple[Place, Row]]:
    """Mutants taken for correct."""
    for name, rows in kernels.items():
        yield from (((name, row["mutator"], row["line"]), row) for row in rows if row["status"] == "correct")


def tally(kernels: Mapping[str, Rows]) -> tuple[int, int]:
    """How many faults are refused, of how many; what does not compile and what is equivalent left out."""
    refused, compiled = _refused([row for rows in kernels.values() for row in rows])
    return refused, compiled - sum(_equivalents(kernels).values())


def score(rows: Rows) -> str:
    """`20 of 22 refused`."""
    refused, compiled = _refused(rows)
    return f"{refused} of {compiled} refused"


def _whole(kernels: Mapping[str, Rows]) -> str:
    refused, real = tally(kernels)
    operators = {name.split()[0] for name in kernels}
    late = sum(row["set"] == "timed" for rows in kernels.values() for row in rows)
    return (
        f"**{refused} of {real} faults are found ({100 * refused / real:.1f} %)** in {len(kernels)} kernels "
        f"of {len(operators)} operators, {late} of them\non timed workloads only; "
        f"{sum(_equivalents(kernels).values())} more mutants are equivalent."
    )


def _equivalents(kernels: Mapping[str, Rows]) -> Counter[str]:
    """How many survivors of each kernel are equivalent."""
    said = explanations()
    places = [place for place, _ in survivors(kernels)]
    return Counter(place[0] for place in places if said.get(place, {}).get("kind") == EQUIVALENT)


def _kernel_line(name: str, rows: Rows) -> str:
    refused, compiled = _refused(rows)
    equivalent = _equivalents({name: rows})[name]
    left = compiled - refused - equivalent
    return f"| {name} | {refused} | {compiled - equivalent} | {equivalent or ''} | {left or ''} |\n"


def _fault_lines(rows: Rows) -> Iterator[str]:
    for fault in sorted({row["mutator"] for row in rows}):
        refused, compiled = _refused([row for row in rows if row["mutator"] == fault])
        yield f"| {fault} | {refused} | {compiled} |\n"


def _survivors(kernels: Mapping[str, Rows]) -> Iterator[str]:
    yield "\n## Survivors\n\n"
    yield "; ".join(f"*{kind}*: {meaning}" for kind, meaning in KINDS.items()) + ".\n\n"
    yield "| kernel | line | fault | instead | kind | why |\n|---|---|---|---|---|---|\n"
    said = explanations()
    for (name, fault, line), row in survivors(kernels):
        entry = said.get((name, fault, line), {"kind": "not examined", "why": ""})
        yield f"| {name} | {line} | {fault} | `{_short(row)}` | {entry['kind']} | {entry['why']} |\n"


def _short(row: Row) -> str:
    """What stands there instead, on one line of the table."""
    text = " ".join(row["after"].split()).replace("|", "\\|")
    return text if len(text) <= 60 else f"… {text[-58:]}"


def _refused(rows: Rows) -> tuple[int, int]:
    """Refused, and compiled."""
    statuses = Counter(row["status"] for row in rows)
    compiled = len(rows) - statuses["build_failed"]
    return compiled - statuses["correct"], compiled
