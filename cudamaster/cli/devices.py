"""`cudamaster devices`: list the devices this machine can use."""

import click

from cudamaster.cli import options


@click.command("devices")
@options.as_json
def command(as_json: bool) -> int:
    """List the devices this machine can use."""
    from cudamaster.toolchain.catalog import list_devices

    print(list_devices())
    return 0
