"""`cudamaster runs`: list the runs that are kept."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cudamaster.cli import options

if TYPE_CHECKING:
    from cudamaster.store.runs import RunFolder


@click.command("runs")
@options.runs_dir
@options.as_json
def command(runs_dir: Path | None, as_json: bool) -> int:
    """List the runs that are kept.

    A run that no process works on and that has not finished is `unfinished`: 'cudamaster resume' goes on.
    """
    from cudamaster.config import folders
    from cudamaster.errors import DONE
    from cudamaster.report.document import to_text
    from cudamaster.report.listing import runs_document
    from cudamaster.store.runs import list_runs

    where = folders(runs=runs_dir).runs
    document = runs_document([readable(run) for run in list_runs(where)])
    if as_json:
        click.echo(to_text(document))
    else:
        show(document["runs"], where)
    return DONE


def readable(run: "RunFolder") -> tuple[str, list[dict[str, Any]], bool]:
    """A run's name, events and whether it is busy; one whose journal cannot be read has no events here."""
    from cudamaster.errors import BrokenStore, RunDamaged
    from cudamaster.report.listing import runs_document
    from cudamaster.store.codec import Malformed, well_formed

    busy = run.busy  # before its events: it may finish between the two
    try:
        events = run.events()
        with well_formed():
            runs_document([(run.name, events, busy)])
    except BrokenStore as fault:
        click.echo(f"cudamaster: {fault}", err=True)
    except Malformed as fault:
        click.echo(f"cudamaster: {RunDamaged(run.name, str(fault))}", err=True)
    else:
        return run.name, events, busy
    return run.name, [], busy


def show(rows: list[dict[str, Any]], where: Path) -> None:
    """Print the runs as a table."""
    from cudamaster.cli import console
    from cudamaster.report.listing import runs_table

    stdout = console.results()
    if rows:
        stdout.print(runs_table(rows))
    else:
        stdout.print(f"no runs in {where}")
