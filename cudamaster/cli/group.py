"""The group of sub-commands, each imported only when it runs; `--help` reads the table below instead."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

COMMANDS = {
    "optimize": "Search for a faster kernel of an operator, and store the best with its proof.",
    "resume": "Go on with an interrupted run; nothing is paid for twice.",
    "runs": "List the runs that are kept.",
    "best": "Print where the best kernel of a finished run lies.",
    "export": "Write runs as training data, one JSON object a line.",
    "evaluate": "Let the referee judge a kernel: is it right, and how much faster is it?",
    "audit": "Explain every gate of the referee, in order, with its evidence for a kernel.",
    "verify": "Reach the verdict of stored records again from their evidence.",
    "profile": "Show what a kernel does on the device: metrics, bound, hot source lines.",
    "operators": "List the operators of the benchmark; with --check, judge their baselines.",
    "init-operator": "Begin the spec of a kernel of your own, so that it can be judged and optimized.",
    "mcp": "Serve the referee to a coding agent, over stdin and stdout.",
    "bench": "Run the team on many operators, into one result file that can be gone on with.",
    "leaderboard": "Make tables of result files, or compare them with stored results.",
    "web": "Show stored results and runs in a browser.",
    "devices": "List the devices this machine can use, and what it lacks for the rest.",
    "doctor": "Check what this machine can do, and say how to get the rest.",
}
"""Every sub-command in the order of a user's day, with its line of help."""


class LazyGroup(click.Group):
    """Finds the sub-commands of a table, each in `<package>.<name>`, as `command`."""

    def __init__(
        self, *, table: Mapping[str, str] = COMMANDS, package: str = "cudamaster.cli", **attributes: Any
    ) -> None:
        super().__init__(**attributes)
        self._table, self._package = table, package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The table's names."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; None where there is none."""
        if cmd_name not in self._table:
            return None
        command = import_module(f"{self._package}.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, naming the nearest commands where there is none."""
        if args and args[0] not in self._table and not args[0].startswith("-"):
            from cudamaster.errors import UnknownName

            raise UnknownName("command", args[0], self._table, f"See '{ctx.command_path} --help'.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._table.items()))


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from cudamaster.own_version import own_version

        click.echo(f"cudamaster {own_version()}")
        ctx.exit()


SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
version_option = click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version.",
)


@click.command(cls=LazyGroup, context_settings=SETTINGS)
@version_option
def cudamaster() -> None:
    """Make CUDA kernels faster, with proof: a team of agents proposes, a referee judges.

    Without a GPU, kernels run on a virtual one and times are modelled; without an API key, a built-in expert
    proposes. Exit codes: 0 done, 1 the kernel was judged and refused, 2 usage, 3 the machine lacks something,
    70 a fault of cudamaster, 130 interrupted (by Ctrl-C, SIGTERM or a hangup).
    """
