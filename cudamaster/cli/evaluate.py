"""`cudamaster evaluate`: let the referee judge a kernel."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cudamaster.cli import options

if TYPE_CHECKING:
    from mskernelbench.evaluation import Evaluation


@click.command("evaluate")
@click.argument("file", type=click.Path(path_type=Path))
@options.operator_or_spec
@options.operators_dir
@options.spec
@options.precision_or_spec
@options.device
@options.entry
@options.sets
@options.shape
@options.matrix
@options.baseline
@options.seed
@options.as_json
@click.pass_context
def command(
    context: click.Context,
    file: Path,
    operator: str | None,
    operators_dir: Path | None,
    spec: Path | None,
    precision: str | None,
    device: str,
    entry: str | None,
    workloads: str | None,
    shapes: tuple[str, ...],
    matrices: tuple[Path, ...],
    baseline: str,
    seed: int,
    as_json: bool,
) -> int:
    """Let the referee judge a kernel: is it right, and how much faster is it?

    FILE is CUDA C++ that defines the operator's entry; it is compared with the operator's baseline. Exits
    with 0 when the kernel is correct, with 1 when it was judged and refused.
    """
    from cudamaster.cli.judging import Question, judged
    from cudamaster.cli.own_spec import named_by

    sets = options.parse_sets(workloads, baseline)
    task = named_by(operator, precision, operators_dir, spec)
    about = (task.operator, task.precision, device, seed)
    question = Question(*about, sets, shapes, matrices, task.own, baseline)
    with judged(context, question, file, entry) as (referee, source, chosen):
        evaluation = referee.evaluate(source, chosen)
    return tell(placed_in(file, evaluation), as_json=as_json)


def placed_in(file: Path, evaluation: "Evaluation") -> "Evaluation":
    """The verdict with the compiler's places in the user's file, by its own name."""
    from dataclasses import replace

    return replace(evaluation, reason=evaluation.reason.replace("kernel.cu:", f"{file}:"))


def tell(evaluation: "Evaluation", *, as_json: bool) -> int:
    """Write the verdict to stdout; returns the exit code."""
    from cudamaster.cli import console
    from cudamaster.errors import DONE, REFUSED
    from cudamaster.report.document import to_text
    from cudamaster.report.evaluation import verdict_lines, workload_table

    if as_json:
        click.echo(to_text(evaluation.document()))
    else:
        stdout = console.results()
        stdout.print("\n".join(verdict_lines(evaluation)))
        if evaluation.correct:  # of a refused kernel there are hardly any figures, and the reason has them
            stdout.print(workload_table(evaluation))
    return DONE if evaluation.correct else REFUSED
