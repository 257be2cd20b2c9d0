"""An `Opening` for the command line whose device only has a name, and whose runs are scripted."""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from cudamaster.cli.opening import Opening
from cudamaster.search.collaborators import Collaborators
from cudamaster.search.scripted import ScriptedJudge, ScriptedTeam
from cudamaster.search.settings import Settings
from cudamaster.toolchain.errors import EnvironmentLacks, UnknownDevice
from cudamaster.toolchain.spec import DeviceSpec
from cudamaster.toolchain.timing import Clock
from tests.doubles import scripted_run


@dataclass
class NamedDevice:
    """Has a name, and runs nothing."""

    name: str = "virtual:h200"
    clock: Clock = Clock.MODELLED
    spec: DeviceSpec = scripted_run.SPEC

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class ScriptedOpening(Opening):
    """Opens doubles."""

    team: ScriptedTeam = field(default_factory=scripted_run.team)
    judge: ScriptedJudge = field(default_factory=scripted_run.judge)
    opened: list[str] = field(default_factory=list)

    @contextmanager
    def device(self, name: str) -> Iterator[tuple[Any, str]]:
        """A device with a name; `cuda` lacks a driver, and others do not exist."""
        self.opened.append(name)
        if name == "cuda":
            raise EnvironmentLacks("no NVIDIA driver here; use --device virtual")
        if name not in ("auto", "virtual:h200"):
            raise UnknownDevice(f"no device is called {name!r}; did you mean virtual:h200?")
        yield NamedDevice(), "no driver answers"

    def collaborators(self, settings: Settings, device: Any) -> Collaborators:
        """The scripted team and judge."""
        return dataclasses.replace(scripted_run.collaborators(self.team, self.judge), device=device.name)
