"""`cudamaster web serve`: the stored results, and runs live while they go on."""

from pathlib import Path
from typing import NoReturn

import click

from cudamaster.cli import options

DEFAULT_PORT = 8642


@click.command("serve")
@click.option(
    "--run", "name", metavar="RUN", help="Open with this run: its name or its beginning, or latest."
)
@options.runs_dir
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    help="Stored results; else CUDAMASTER_RESULTS_DIR, else ./results.",
)
@options.operators_dir
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to serve at; another than loopback asks every browser for a token.",
)
@click.option(
    "--port",
    default=DEFAULT_PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="0 takes any that is free.",
)
@click.option(
    "--token",
    callback=options.not_empty,
    envvar="CUDAMASTER_WEB_TOKEN",
    help="What a browser must bring, else CUDAMASTER_WEB_TOKEN, which others of this machine cannot read in "
    "the list of processes; else one is made where one is needed.",
)
def command(
    name: str | None,
    runs_dir: Path | None,
    results: Path | None,
    operators_dir: Path | None,
    host: str,
    port: int,
    token: str | None,
) -> NoReturn:
    """Serve the stored results, and runs live while they go on.

    A page follows the run's journal: rounds, candidates, the best so far and the budget, as they change. It
    reads and never writes. Ctrl-C ends it.
    """
    from cudamaster.cli.interrupting import stopped_by_signals
    from cudamaster.config import folders
    from cudamaster.config import operators_dir as own
    from cudamaster.store.runs import find_run, list_runs
    from cudamaster.web.live.app import Shown, application
    from cudamaster.web.live.glimpse import Beside
    from cudamaster.web.live.serving import Server, address_of, listening, placed

    where = folders(runs=runs_dir, results=results)
    list_runs(where.runs)  # what cannot be read is said now and not to a browser
    first = find_run(where.runs, name).name if name else ""
    place = placed(host, port, token)
    with listening(place) as listener:
        server = Server(place)
        beside = Beside(where.results, own(operators_dir))
        app = application(Shown(where.runs, beside, first), server.ending)
        path = f"runs/{first}/" if first else ""
        click.echo(f"serving at {address_of(place, listener, path)} (Ctrl-C ends it)")
        with stopped_by_signals(say=lambda _: None, cut_short=server.end):
            server.serve(app, listener)
    raise KeyboardInterrupt
