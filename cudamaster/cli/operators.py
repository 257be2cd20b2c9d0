"""`cudamaster operators`: list the operators of the benchmark, or judge their baselines."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cudamaster.cli import options

if TYPE_CHECKING:
    from cudamaster.report.document import Json
    from mskernelbench.operator import Operator

check_option = click.option(
    "--check",
    is_flag=True,
    help="Judge the baselines of all, or of those named, in both precisions, and try wrong answers on "
    "their comparison.",
)
keep_option = click.option(
    "--keep",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.json",
    help="With --check: put the rows into this file as well, in place of older ones.",
)


@click.command("operators")
@click.argument("names", nargs=-1, metavar="[OPERATOR]...")
@options.operators_dir
@options.spec
@check_option
@options.sets
@keep_option
@options.device
@options.seed
@options.as_json
@click.pass_context
def command(
    context: click.Context,
    names: tuple[str, ...],
    operators_dir: Path | None,
    spec: Path | None,
    check: bool,
    workloads: str | None,
    keep: Path | None,
    device: str,
    seed: int,
    as_json: bool,
) -> int:
    """List the operators of the benchmark; with --check, judge their baselines.

    Named ones are shown whole: entry, arguments, sizes, and what a right answer is. With --spec and no name,
    your own operator is meant. Exits with 1 when a baseline was refused, or a comparison lets a wrong answer
    pass.
    """
    from cudamaster.cli.own_spec import of_folder_or_spec
    from cudamaster.errors import UsageError

    own, named = of_folder_or_spec(operators_dir, spec, names)
    chosen = choose(named, own)
    if check:
        from cudamaster.cli.suite import Request, check_suite

        return check_suite(context, Request(chosen, device, seed, workloads, keep, as_json))
    if keep is not None:
        raise UsageError("--keep keeps what --check finds; give both")
    return tell_whole(chosen, as_json=as_json) if named else tell(chosen, as_json=as_json)


def choose(names: tuple[str, ...], own: Path | None) -> "tuple[Operator, ...]":
    """The operators of these names, all where none is given. Raises UnknownOperator, BadOperator."""
    from cudamaster.config import operators_dir
    from mskernelbench.catalog import all_operators, find_operator

    folder = operators_dir(own)
    if names:
        return tuple({find_operator(name, folder).operator: None for name in names})
    return all_operators(folder)


def tell_whole(operators: "tuple[Operator, ...]", *, as_json: bool) -> int:
    """Write all that is known of each to stdout; returns the exit code."""
    from cudamaster.cli import console
    from cudamaster.errors import DONE
    from cudamaster.report.document import to_text
    from cudamaster.report.listing import operators_document
    from cudamaster.report.operator import operator_details, operator_lines

    stdout = console.results()
    if as_json:
        rows = [operator_details(operator) for operator in operators]
        click.echo(to_text(operators_document(()) | {"operators": rows}))
        return DONE
    for number, operator in enumerate(operators):
        for line in ([""] if number else []) + [*operator_lines(operator, stdout.width)]:
            stdout.print(line, soft_wrap=True)
    return DONE


def tell(operators: "tuple[Operator, ...]", *, as_json: bool) -> int:
    """Write the list to stdout; returns the exit code."""
    from cudamaster.cli import console
    from cudamaster.errors import DONE
    from cudamaster.report.document import to_text
    from cudamaster.report.listing import operators_document, operators_table

    document: Json = operators_document(operators)
    if as_json:
        click.echo(to_text(document))
    else:
        console.results().print(operators_table(document["operators"]))
    return DONE
