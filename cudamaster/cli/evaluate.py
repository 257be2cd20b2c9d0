"""`cudamaster evaluate`: let the referee judge a kernel."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cudamaster.cli.question import Question, put_by

if TYPE_CHECKING:
    from mskernelbench.evaluation import Evaluation


@click.command("evaluate")
@put_by(choosing_workloads=True)
def command(context: click.Context, question: Question) -> int:
    """Let the referee judge a kernel: is it right, and how much faster is it?

    FILE is CUDA C++ that defines the operator's entry; it is compared with the operator's baseline. Exits
    with 0 when the kernel is correct, with 1 when it was judged and refused.
    """
    from cudamaster.cli.host_calls import host_calls_of
    from cudamaster.cli.judging import judged

    with judged(context, question) as (referee, source):
        evaluation = referee.evaluate(source, question.entry)
        beside = "" if question.as_json else host_calls_of(referee, source, evaluation)
    return tell(placed_in(question.file, evaluation), beside, as_json=question.as_json)


def placed_in(file: Path, evaluation: "Evaluation") -> "Evaluation":
    """The verdict with the compiler's places in the user's file, by its own name."""
    from dataclasses import replace

    return replace(evaluation, reason=evaluation.reason.replace("kernel.cu:", f"{file}:"))


def tell(evaluation: "Evaluation", beside: str = "", *, as_json: bool) -> int:
    """Write the verdict to stdout, with what is to be said `beside` it; returns the exit code."""
    from cudamaster.cli import console
    from cudamaster.errors import DONE, REFUSED
    from cudamaster.report.document import to_text
    from cudamaster.report.evaluation import verdict_lines, workload_table

    if as_json:
        click.echo(to_text(evaluation.document()))
    else:
        stdout = console.results()
        stdout.print("\n".join([*verdict_lines(evaluation), *([beside] if beside else [])]))
        if evaluation.correct:  # of a refused kernel there are hardly any figures, and the reason has them
            stdout.print(workload_table(evaluation))
    return DONE if evaluation.correct else REFUSED
