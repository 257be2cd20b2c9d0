"""`cudamaster operators`: list the operators of the benchmark."""

import click

from cudamaster.cli import options


@click.command("operators")
@options.as_json
def command(as_json: bool) -> int:
    """List the operators of the benchmark."""
    from cudamaster.cli import console
    from cudamaster.errors import DONE
    from cudamaster.report.document import to_text
    from cudamaster.report.listing import operators_document, operators_table
    from mskernelbench.catalog import all_operators

    document = operators_document(all_operators())
    if as_json:
        click.echo(to_text(document))
    else:
        console.results().print(operators_table(document["operators"]))
    return DONE
