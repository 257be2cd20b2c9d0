"""`cudamaster profile`: what a kernel does on the device."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cudamaster.cli import options

if TYPE_CHECKING:
    from cudamaster.report.document import Json
    from cudamaster.toolchain.outputs import RunFailure
    from cudamaster.toolchain.profile import Profile


@click.command("profile")
@click.argument("file", type=click.Path(path_type=Path))
@options.operator
@options.precision
@options.device
@options.entry
@options.shape
@options.matrix
@options.seed
@options.as_json
@click.pass_context
def command(
    context: click.Context,
    file: Path,
    operator: str,
    precision: str,
    device: str,
    entry: str | None,
    shapes: tuple[str, ...],
    matrices: tuple[Path, ...],
    seed: int,
    as_json: bool,
) -> int:
    """Show what a kernel does on the device: metrics, bound, hot source lines.

    FILE is CUDA C++ that defines the operator's entry. Exits with 1 when the kernel cannot be built or run.
    """
    from cudamaster.cli.judging import Question, judged

    question = Question(operator, precision, device, seed, None, shapes, matrices)
    with judged(context, question, file, entry) as (referee, source, chosen):
        profile = referee.profile(source, chosen)
        about = {"operator": referee.operator.name, "precision": precision, "device": referee.device.name}
    return tell(profile, about, source, as_json=as_json)


def tell(profile: "Profile | RunFailure", about: "Json", source: str, *, as_json: bool) -> int:
    """Write the profile to stdout; returns the exit code."""
    from cudamaster.errors import DONE, REFUSED
    from cudamaster.report.document import to_text
    from cudamaster.report.profile import SCHEMA, profile_document
    from cudamaster.toolchain.outputs import RunFailure

    if isinstance(profile, RunFailure):
        failure = (
            {"schema": SCHEMA}
            | about
            | {"status": str(profile.kind), "reason": profile.reason, "kernels": []}
        )
        click.echo(to_text(failure) if as_json else f"{profile.kind}: {profile.reason}")
        return REFUSED
    if as_json:
        click.echo(to_text(profile_document(profile, unit_of, about)))
    else:
        show(profile, source)
    return DONE


def show(profile: "Profile", source: str) -> None:
    """Print each kernel: heading, metrics, hot lines."""
    from cudamaster.cli import console
    from cudamaster.report.figures import counted
    from cudamaster.report.profile import hot_line_table, kernel_heading, metric_table

    stdout = console.results()
    stdout.print(f"{profile.time_ms:.4g} ms {profile.clock}, {counted(len(profile.kernels), 'kernel')}")
    for kernel in profile.kernels:
        stdout.print("\n".join(kernel_heading(kernel)))
        stdout.print(metric_table(kernel, unit_of))
        if kernel.hot_lines:
            stdout.print(hot_line_table(kernel, source))


def unit_of(name: str) -> str:
    """A metric's declared unit; empty for one that no declaration names."""
    from cudamaster.toolchain.metrics import METRICS

    return METRICS[name].unit if name in METRICS else ""
