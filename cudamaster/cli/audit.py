"""`cudamaster audit`: explain every gate of the referee, and its evidence, for a kernel."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cudamaster.cli import options

if TYPE_CHECKING:
    from mskernelbench.auditing import Audit


@click.command("audit")
@click.argument("file", type=click.Path(path_type=Path))
@options.operator_or_spec
@options.operators_dir
@options.spec
@options.precision_or_spec
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
    operator: str | None,
    operators_dir: Path | None,
    spec: Path | None,
    precision: str | None,
    device: str,
    entry: str | None,
    shapes: tuple[str, ...],
    matrices: tuple[Path, ...],
    seed: int,
    as_json: bool,
) -> int:
    """Explain every gate of the referee, in order, with its evidence for a kernel.

    FILE is checked on the operator's whole `check` set and timed on a few workloads. Exits with 0 when the
    kernel passes every gate, with 1 when one refuses it.
    """
    from cudamaster.cli.evaluate import placed_in
    from cudamaster.cli.judging import Question, judged
    from cudamaster.cli.own_spec import named_by
    from cudamaster.search.referee_judge import QUICK, light, spread
    from mskernelbench.auditing import audit

    task = named_by(operator, precision, operators_dir, spec)
    question = Question(task.operator, task.precision, device, seed, None, shapes, matrices, task.own)
    with judged(context, question, file, entry) as (referee, source, chosen):
        few = spread(light(referee.timed_workloads(), referee.operator, referee.precision), QUICK)
        found = audit(referee, source, chosen, few)
    return tell(found.at(placed_in(file, found.evaluation)), as_json=as_json)


def tell(found: "Audit", *, as_json: bool) -> int:
    """Write the audit to stdout; returns the exit code."""
    from cudamaster.cli import console
    from cudamaster.errors import DONE, REFUSED
    from cudamaster.report.audit import audit_lines
    from cudamaster.report.document import to_text

    if as_json:
        click.echo(to_text(found.document()))
    else:
        console.results().print("\n".join(audit_lines(found)), markup=False, highlight=False)
    return DONE if found.evaluation.correct else REFUSED
