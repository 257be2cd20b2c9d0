"""`cudamaster export`: write runs as training data."""

from pathlib import Path

import click

from cudamaster.cli import options

FORMATS = ("sft", "pairs", "events")
STDOUT = Path("-")


@click.command("export")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    required=True,
    help="sft: chat messages with their reward. pairs: a better and a worse answer of one round. "
    "events: the journal.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write there, not to stdout.",
)
@options.runs_dir
def command(runs: tuple[str, ...], form: str, out: Path | None, runs_dir: Path | None) -> int:
    """Write runs as training data, one JSON object a line.

    RUN is a run's name, the beginning of it, or 'latest'. Only what language models answered is in sft and
    pairs; what the built-in expert wrote is in events.
    """
    from cudamaster.cli import console
    from cudamaster.config import folders
    from cudamaster.errors import DONE
    from cudamaster.report.export import exported, why_empty
    from cudamaster.report.figures import counted
    from cudamaster.store.atomic import require_writable, write_atomically
    from cudamaster.store.runs import find_run

    where = folders(runs=runs_dir).runs
    found = [find_run(where, name) for name in dict.fromkeys(runs)]
    lines = exported(found, form)
    text = "".join(f"{line}\n" for line in lines)
    if out is None or out == STDOUT:
        click.echo(text, nl=False)
    else:
        require_writable(out.parent, "output", "give another with --out")
        write_atomically(out, text.encode())
    told = f"{counted(len(lines), 'line')} of {form} from {counted(len(found), 'run')}"
    where_to = f" in {out}" if out not in (None, STDOUT) else ""
    why = "" if lines or form == "events" else f": {why_empty(found, form)}"
    console.progress().print(f"{told}{where_to}{why}", soft_wrap=True)
    return DONE
