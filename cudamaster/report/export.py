"""Runs as lines of JSON in one of three formats, each line held against the format's schema."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from cudamaster.errors import RunDamaged
from cudamaster.report.document import Json
from cudamaster.report.schema_check import faults, schema_of
from cudamaster.report.training import Recording, event_rows, pair_rows, sft_rows
from cudamaster.store.codec import Malformed, well_formed
from cudamaster.store.runs import RunFolder, started

FORMATS: Mapping[str, Callable[[Recording], Iterator[Json]]] = {
    "sft": sft_rows,
    "pairs": pair_rows,
    "events": event_rows,
}
"""By name; the schema is the file of the same name."""


def exported(runs: Iterable[RunFolder], form: str) -> list[str]:
    """The lines of all runs. Raises RunDamaged, BrokenStore."""
    return [line for run in runs for line in lines_of(run, form)]


def why_empty(runs: Iterable[RunFolder], form: str) -> str:
    """Why runs give no line of `sft` or `pairs`. Raises what `exported` does."""
    if form == "pairs" and exported(runs, "sft"):
        return "answers were judged, but no round has two kernels whose rewards differ"
    return "no language model's answer was judged in them"


def lines_of(run: RunFolder, form: str) -> list[str]:
    """One run's lines. Raises RunDamaged for a changed journal, BrokenStore for a missing file."""
    started(run.events(), run)
    try:
        with well_formed():
            rows = list(FORMATS[form](Recording(run)))
    except Malformed as fault:
        raise RunDamaged(run.name, f"in its events, {fault}") from fault
    for row in rows:
        for wrong in faults(row, schema_of(form)):
            raise RunDamaged(run.name, f"a line of {form} made of it is not what it should be: {wrong}")
    return [json.dumps(row, ensure_ascii=False) for row in rows]
