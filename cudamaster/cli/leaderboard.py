"""`cudamaster leaderboard`: tables of result files, and what got worse against stored results."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cudamaster.cli import options

if TYPE_CHECKING:
    from cudamaster.leaderboard.regressions import Comparison
    from cudamaster.leaderboard.standings import Table

FORMATS = ("table", "markdown", "csv", "json")


@click.command("leaderboard")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILES...")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option(
    "--by", metavar="PARTS", help="A row for each part: scenario, precision, operator, with commas."
)
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="RESULTS",
    help="A results folder or file: exit with 1 where a task is worse than there, beyond the interval.",
)
@options.as_json
def command(files: tuple[Path, ...], form: str, by: str | None, against: Path | None, as_json: bool) -> int:
    """Make tables of result files, or compare them with stored results.

    FILES are those of 'cudamaster bench', or folders of stored results. A row is a team: its success at 1, 2,
    4 and 8 times over all tasks, and its means. Files of one team are put together; times of different
    devices, clocks or versions of them stand in tables of their own. The rule by which is counted is printed
    with them. --json is --format json.
    """
    from cudamaster.errors import DONE, REFUSED
    from cudamaster.leaderboard.entries import read_entries
    from cudamaster.leaderboard.standings import tables_of

    parts = parts_of(by)
    own = set[str]()
    entries = read_entries(files, own.add)
    compared = None
    if against is not None:
        from cudamaster.leaderboard.regressions import compare

        compared = compare(entries, read_entries([against], own.add))
        require_compared(compared, against)
    say_left_out(own)
    show(tables_of(entries, parts), parts, compared, "json" if as_json else form)
    return REFUSED if compared is not None and compared.regressions else DONE


def say_left_out(own: Collection[str]) -> None:
    """Say on stderr which operators no table counts, as they are not the benchmark's."""
    from cudamaster.cli import console

    if own:
        why = "none of the benchmark's operators, and tables are over its tasks only"
        console.progress().print(f"left out   {', '.join(sorted(own))}: {why}", soft_wrap=True)


def parts_of(text: str | None) -> tuple[str, ...]:
    """`scenario,precision` as names. Raises UnknownName."""
    from cudamaster.errors import UnknownName
    from cudamaster.leaderboard.standings import DIMENSIONS

    if text is None:
        return ()
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names or (text,):
        if name not in DIMENSIONS:
            raise UnknownName("part", name, DIMENSIONS)
    return names


def require_compared(compared: "Comparison", against: Path) -> None:
    """Raise UsageError where nothing could be compared: that is no proof that nothing got worse."""
    from cudamaster.errors import UsageError

    if not compared.compared:
        why = (
            "; ".join(compared.not_comparable) or "no finished task is stored there for this device and clock"
        )
        raise UsageError(f"nothing can be compared with {against} ({why}): bench those tasks into it anew")


def show(tables: "Sequence[Table]", by: Sequence[str], compared: "Comparison | None", form: str) -> None:
    """Write it to stdout; beside CSV, which holds figures only, a comparison goes to stderr."""
    from cudamaster.cli import console
    from cudamaster.leaderboard import writing
    from cudamaster.report.document import to_text

    lines = [] if compared is None else list(writing.told(compared))
    match form:
        case "json":
            click.echo(to_text(writing.document(tables, by, compared)))
        case "markdown":
            click.echo(writing.markdown(tables, by, compared))
        case "csv":
            click.echo(writing.csv(tables, by))
            click.echo("\n".join(lines), err=True, nl=bool(lines))
        case _:
            stdout = console.results()
            for table in tables:
                show_table(table, by)
            for line in [*lines, writing.rule_lines()]:
                stdout.print(line, soft_wrap=True)


def show_table(table: "Table", by: Sequence[str]) -> None:
    """Print one table, as many columns of it as the terminal is wide."""
    from cudamaster.cli import console
    from cudamaster.leaderboard import writing
    from cudamaster.report.listing import plain_table

    stdout = console.results()
    columns = writing.fitting(table, by, stdout.width)
    names = writing.two_lines(columns)
    whole = [name for name, column in zip(names, columns, strict=True) if column != "team"]
    rows = [writing.cells(row, columns) for row in table.rows]
    stdout.print(writing.heading(table.ground), soft_wrap=True)
    stdout.print(plain_table(names, rows, whole=whole))
    if missing := writing.left_out(table, by, columns):
        stdout.print(missing, soft_wrap=True)
