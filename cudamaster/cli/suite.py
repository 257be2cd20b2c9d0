"""`cudamaster operators --check`: judges the baselines of operators, says each row, keeps them if asked."""

import os
from dataclasses import dataclass
from pathlib import Path

import click

from cudamaster.cli import console
from cudamaster.cli.opening import opening
from cudamaster.cli.options import parse_sets
from cudamaster.errors import DONE, REFUSED
from cudamaster.report.document import Json, to_text
from cudamaster.report.suite import keep, suite_document, suite_table
from cudamaster.store.atomic import require_writable
from mskernelbench.operator import Operator, Precision
from mskernelbench.suite import Plan, Row, judge_baselines


@dataclass(frozen=True, slots=True)
class Request:
    """The options of `operators --check`."""

    operators: tuple[Operator, ...]
    device: str
    seed: int
    workloads: str | None
    keep: Path | None
    as_json: bool


def check_suite(context: click.Context, request: Request) -> int:
    """Judge them all; returns the exit code."""
    sets, stderr = parse_sets(request.workloads), console.progress()
    if request.keep is not None:
        mend = "give another file with --keep"
        require_writable(request.keep.absolute().parent, "table's", mend, by_option=True)
    rows: list[Json] = []
    sound = True
    with opening(context).device(request.device) as (device, reason):
        stderr.print(f"device     {device.name} ({reason})", soft_wrap=True)
        plan = Plan(device, request.seed, sets, parallel=len(os.sched_getaffinity(0)))
        about = (device.name, str(device.clock), request.seed)
        for row in judge_baselines(request.operators, tuple(Precision), plan):
            stderr.print(line_of(row), soft_wrap=True)
            sound = sound and row.sound
            rows.append(row.document())
            if request.keep is not None:
                keep(request.keep, suite_document(*about, rows[-1:]))
    document = suite_document(*about, rows)
    if request.as_json:
        click.echo(to_text(document))
    else:
        console.results().print(suite_table(document["rows"]))
    return DONE if sound else REFUSED


def line_of(row: Row) -> str:
    """`softmax bf16: correct, 12.3 s`, and what is wrong."""
    wrong = f": {row.reason}" if row.reason else ""
    return f"{row.operator} {row.precision}: {row.status}, {row.seconds:.1f} s{wrong}"
