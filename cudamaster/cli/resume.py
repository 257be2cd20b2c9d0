"""`cudamaster resume`: go on with an interrupted run."""

from pathlib import Path

import click

from cudamaster.cli import options


@click.command("resume")
@click.argument("run", callback=options.not_empty)
@options.runs_dir
@options.as_json
@click.pass_context
def command(context: click.Context, run: str, runs_dir: Path | None, as_json: bool) -> int:
    """Go on with an interrupted run; nothing is paid for twice.

    RUN is its name, the beginning of it, or 'latest'; 'cudamaster runs' lists them. A finished run is shown
    again.
    """
    from cudamaster.cli.session import go_on

    return go_on(context, run, runs_dir, as_json)
