"""`cudamaster audit`: explain every gate of the referee, and its evidence, for a kernel."""

from typing import TYPE_CHECKING

import click

from cudamaster.cli.question import Question, put_by

if TYPE_CHECKING:
    from mskernelbench.auditing import Audit


@click.command("audit")
@put_by(choosing_workloads=True)
def command(context: click.Context, question: Question) -> int:
    """Explain every gate of the referee, in order, with its evidence for a kernel.

    FILE is judged as `cudamaster evaluate` judges it, on the same workloads. Exits with 0 when the kernel
    passes every gate, with 1 when one refuses it.
    """
    from cudamaster.cli.evaluate import placed_in
    from cudamaster.cli.judging import judged
    from mskernelbench.auditing import audit

    with judged(context, question) as (referee, source):
        found = audit(referee, source, question.entry)
    return tell(found.at(placed_in(question.file, found.evaluation)), as_json=question.as_json)


def tell(found: "Audit", *, as_json: bool) -> int:
    """Write the audit to stdout; returns the exit code."""
    from cudamaster.cli import console
    from cudamaster.errors import DONE, REFUSED
    from cudamaster.report.audit import audit_lines
    from cudamaster.report.document import to_text

    if as_json:
        click.echo(to_text(found.document()))
    else:
        console.results().print("\n".join(audit_lines(found)), markup=False, highlight=False, soft_wrap=True)
    return DONE if found.evaluation.correct else REFUSED
