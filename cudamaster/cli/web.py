"""`cudamaster web`: the group of its sub-commands."""

import click

from cudamaster.cli.group import LazyGroup

TABLE = {
    "build": "Write the stored kernels as a static site.",
    "serve": "Serve the stored results, and runs live while they go on.",
}


@click.command("web", cls=LazyGroup, table=TABLE, package="cudamaster.cli.webbing")
def command() -> None:
    """Show stored results and runs in a browser."""
