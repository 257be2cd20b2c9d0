"""`cudamaster best`: print where the best kernel of a run lies."""

from pathlib import Path

import click

from cudamaster.cli import options


@click.command("best")
@click.argument("run", default="latest", callback=options.not_empty)
@options.runs_dir
@options.as_json
def command(run: str, runs_dir: Path | None, as_json: bool) -> int:
    """Print where the best kernel of a finished run lies.

    RUN is its name, the beginning of it, or 'latest', which is usual; 'cudamaster runs' lists them. The path
    stands alone on stdout: cp "$(cudamaster best)" faster.cu. Exits with 1 where nothing beat the baseline.
    """
    from cudamaster.config import folders
    from cudamaster.errors import DONE, REFUSED, UsageError
    from cudamaster.report.document import to_text
    from cudamaster.report.run import run_document
    from cudamaster.search.run import outcome_in
    from cudamaster.store.runs import find_run

    folder = find_run(folders(runs=runs_dir).runs, run)
    outcome = outcome_in(folder)
    if outcome is None:
        raise UsageError(f"run {folder.name} is not finished: 'cudamaster resume {folder.name}' goes on")
    if as_json:
        click.echo(to_text(run_document(outcome)))
    elif outcome.best:
        click.echo(outcome.best.kernel)
    else:
        click.echo(f"cudamaster: in run {folder.name} nothing beat the baseline", err=True)
    return DONE if outcome.best else REFUSED
