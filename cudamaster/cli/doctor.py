"""`cudamaster doctor`: what this machine can do, and how to get the rest."""

from typing import TYPE_CHECKING

import click

from cudamaster.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cudamaster.cli.checks import Check
    from cudamaster.report.document import Json

NAME_WIDTH = 18


@click.command("doctor")
@options.as_json
def command(as_json: bool) -> int:
    """Check what this machine can do, and say how to get the rest.

    Exits with 3 when something is missing that every run needs.
    """
    from cudamaster.cli.checks import all_checks
    from cudamaster.errors import DONE, ENVIRONMENT
    from cudamaster.report.document import to_text

    checks = list(all_checks())
    if as_json:
        click.echo(to_text(document(checks)))
    else:
        show(checks)
    return DONE if all(check.ok or not check.needed for check in checks) else ENVIRONMENT


def document(checks: "Iterable[Check]") -> "Json":
    """`cudamaster.doctor/1`."""
    rows = [
        {"check": c.name, "ok": c.ok, "needed": c.needed, "found": c.found}
        | ({"mend": c.mend} if c.mend else {})
        for c in checks
    ]
    return {"schema": "cudamaster.doctor/1", "checks": rows}


def show(checks: "Iterable[Check]") -> None:
    """Print one line a check, and under it how to mend it; paths stay whole, so that they can be copied."""
    from cudamaster.cli import console

    stdout = console.results()
    for check in checks:
        stdout.print(f"{check.name:<{NAME_WIDTH}} {word(check):<8} {check.found}", soft_wrap=True)
        if check.mend:
            stdout.print(f"{'':<{NAME_WIDTH}} {'':<8} → {check.mend}", soft_wrap=True)


def word(check: "Check") -> str:
    """How a check went."""
    if check.ok:
        return "ok"
    return "MISSING" if check.needed else "without"
