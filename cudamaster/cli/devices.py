"""`cudamaster devices`: list the devices this machine can use."""

import click

from cudamaster.cli import options


@click.command("devices")
@options.as_json
def command(as_json: bool) -> int:
    """List the devices this machine can use, and what it lacks for the rest."""
    from cudamaster.cli import console
    from cudamaster.errors import DONE
    from cudamaster.report.document import to_text
    from cudamaster.report.listing import devices_document, devices_table
    from cudamaster.toolchain.catalog import list_devices

    document = devices_document(list_devices())
    if as_json:
        click.echo(to_text(document))
    else:
        console.results().print(devices_table(document["devices"]))
    return DONE
