"""What `evaluate` and `profile` share: the file read, the device opened and said, the referee seated."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cudamaster.cli import console
from cudamaster.cli.kernel_file import read_kernel
from cudamaster.cli.opening import choose_operator, opening
from cudamaster.cli.options import parse_shape

if TYPE_CHECKING:
    from mskernelbench.referee import Referee


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


@contextmanager
def judged(
    context: click.Context, question: Question, file: Path, entry: str | None
) -> Iterator[tuple["Referee", str, str | None]]:
    """The referee, the file's source and the entry; raises what is wrong with the request before a device opens."""
    source = read_kernel(file)
    chosen = choose_operator(question.operator, question.precision)
    shapes = [parse_shape(text) for text in question.shapes]
    means, stderr = opening(context), console.progress()
    with means.device(question.device) as (device, reason):
        alias = f" ({chosen.reason})" if chosen.reason else ""
        stderr.print(f"operator   {chosen.operator.name} {chosen.precision}{alias}")
        stderr.print(f"device     {device.name}: {reason}")
        yield means.referee(device, chosen, question, shapes), source, entry
