"""What `evaluate` and `profile` share: the file read, the device opened and said, the referee seated."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from cudamaster.cli import console
from cudamaster.cli.kernel_file import read_kernel
from cudamaster.cli.opening import OperatorChoice, choose_operator, opening
from cudamaster.errors import UnreadableKernel
from cudamaster.search.user_workloads import user_workloads
from mskernelbench.entries import EntryProblem, find_entry
from mskernelbench.operator import BaselineKind
from mskernelbench.referee import SETS, Referee


@dataclass(frozen=True, slots=True)
class Question:
    """What a kernel is judged as."""

    operator: str
    precision: str
    device: str
    seed: int
    sets: tuple[str, ...] | None
    """Workload sets; None for the referee's choice."""
    shapes: tuple[str, ...]
    """`--shape`, as given."""
    matrices: tuple[Path, ...] = ()
    """`--matrix`, as given."""
    operators_dir: Path | None = None
    """`--operators-dir`, as given."""
    baseline: str = "fair"
    """What the kernel is compared with: `fair` or `published`."""


def require_entry(source: str, file: Path, chosen: OperatorChoice, entry: str | None) -> None:
    """Raise UnreadableKernel where the file does not define one entry, with what it defines instead."""
    found = find_entry(source, chosen.operator, chosen.precision, entry)
    if isinstance(found, EntryProblem):
        raise UnreadableKernel(f"{file}: {found.reason}")


@contextmanager
def judged(
    context: click.Context, question: Question, file: Path, entry: str | None
) -> Iterator[tuple[Referee, str, str | None]]:
    """The referee, the file's source and the entry; what is wrong with the request is raised before that."""
    source = read_kernel(file)
    chosen = choose_operator(question.operator, question.precision, question.operators_dir)
    require_entry(source, file, chosen, entry)
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
            sets=question.sets or SETS,
            shapes=shapes,
            baseline=kind,
        )
        yield referee, source, entry
