"""Opens what commands work with: operator, device, referee, team. Tests hand in an `Opening` of their own."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from cudamaster.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from cudamaster.search.collaborators import Collaborators
    from cudamaster.search.settings import Settings
    from cudamaster.toolchain.device import Device
    from mskernelbench.operator import Operator, Precision


CLOSING_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class OperatorChoice:
    """The operator that a name meant."""

    operator: "Operator"
    precision: "Precision"
    reason: str
    """Why this one, where the name was an alias; else empty."""


def choose_operator(name: str, precision: str, own: "Path | None" = None) -> OperatorChoice:
    """The operator and precision of these names; the user's folder `own` has some too, where it is given.

    Raises UnknownOperator, UnknownPrecision, BadOperator, BaselineMissing, UsageError.
    """
    from cudamaster.config import operators_dir
    from mskernelbench.catalog import find_operator, find_precision

    if name.endswith(".cu"):
        raise UsageError(
            f"'{name}' is a file: name the operator here, and judge the file with "
            f"'cudamaster evaluate {name} --operator OPERATOR --precision {precision}'; for an operator of "
            f"your own, 'cudamaster init-operator {name}' begins the --spec"
        )
    kind = find_precision(precision)
    operator, alias = find_operator(name, operators_dir(own))
    operator.baseline(kind)  # a missing one is said before anything is begun
    return OperatorChoice(operator, kind, f"'{alias}' is its alias" if alias else "")


class Opening:
    """Opens the real things."""

    @contextmanager
    def device(self, name: str) -> Iterator[tuple["Device", str]]:
        """The device of this name, and why it was chosen. Raises UnknownDevice, EnvironmentLacks."""
        from cudamaster.toolchain.catalog import choose_device

        device, reason = choose_device(name)
        try:
            yield device, reason
        finally:
            close(device)

    def collaborators(self, settings: "Settings", device: "Device") -> "Collaborators":
        """Who and what a run of these settings works with."""
        from cudamaster.config import read_config
        from cudamaster.search.collaborators import Collaborators
        from cudamaster.search.evidence import clock_version, versions
        from cudamaster.search.referee_judge import RefereeJudge
        from cudamaster.search.teams import open_team

        chosen = choose_operator(settings.operator, settings.precision, settings.own_operators)
        return Collaborators(
            operator=chosen.operator,
            precision=chosen.precision,
            entry=chosen.operator.entry_symbol(chosen.precision),
            device=device.name,
            spec=device.spec,
            clock=str(device.clock),
            clock_version=clock_version(device),
            team=open_team(settings, read_config().keys),
            judge=RefereeJudge(device, chosen.operator, chosen.precision, settings),
            versions=versions(),
        )


def close(device: "Device") -> None:
    """End the device's processes; one that does not end soon does with this process."""
    closing = threading.Thread(target=close_quietly, args=(device,), daemon=True, name="close")
    closing.start()
    closing.join(CLOSING_SECONDS)


def close_quietly(device: "Device") -> None:
    """End the device's processes, also those that somebody else is ending."""
    from cudamaster.toolchain.errors import ToolchainError

    with suppress(ToolchainError):
        device.close()


def opening(context: click.Context) -> Opening:
    """The context's `Opening`; the real one where none was handed in."""
    return context.find_object(Opening) or Opening()


def command_line(arguments: Sequence[str]) -> str:
    """The command as one would type it again."""
    import shlex

    return shlex.join(["cudamaster", *arguments])
