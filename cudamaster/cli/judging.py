"""Seats the referee for a question: the file read, the device opened and said."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from cudamaster.cli import console
from cudamaster.cli.kernel_file import read_kernel
from cudamaster.cli.opening import OperatorChoice, choose_operator, opening
from cudamaster.cli.question import Question
from cudamaster.errors import UnreadableKernel
from cudamaster.search.user_workloads import user_workloads
from mskernelbench.entries import EntryProblem, find_entry
from mskernelbench.operator import BaselineKind
from mskernelbench.referee import Referee


def require_entry(source: str, file: Path, chosen: OperatorChoice, entry: str | None) -> None:
    """Raise UnreadableKernel where the file does not define one entry, with what it defines instead."""
    found = find_entry(source, chosen.operator, chosen.precision, entry)
    if isinstance(found, EntryProblem):
        raise UnreadableKernel(f"{file}: {found.reason}")


@contextmanager
def judged(context: click.Context, question: Question) -> Iterator[tuple[Referee, str]]:
    """The referee and the file's source; what is wrong with the question is raised before that."""
    sets, task = question.sets, question.task  # these may be refused without a look at the file
    source = read_kernel(question.file)
    chosen = choose_operator(task.operator, task.precision, task.own)
    require_entry(source, question.file, chosen, question.entry)
    kind = BaselineKind(question.baseline)
    chosen.operator.baseline(chosen.precision, kind)  # a missing one is said before anything is begun
    shapes = user_workloads(chosen.operator, question.shapes, question.matrices)
    means, stderr = opening(context), console.progress()
    with means.device(question.device) as (device, reason):
        alias = f" ({chosen.reason})" if chosen.reason else ""
        stderr.print(f"operator   {chosen.operator.name} {chosen.precision}{alias}")
        stderr.print(f"device     {device.name} ({reason})", soft_wrap=True)
        referee = Referee(
            device,
            chosen.operator,
            chosen.precision,
            seed=question.seed,
            sets=sets,
            shapes=shapes,
            baseline=kind,
        )
        yield referee, source
