"""What a worker runs: the seam between the processes here and whatever a device does in them."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Puts a question to the trusted side in the middle of a request, from any thread; returns the reply."""


class Program(Protocol):
    """One child's work: answers requests until its process ends. Candidate code runs within `answer`."""

    def answer(self, request: Mapping[str, Any], files: Sequence[int]) -> Mapping[str, Any]:
        """The reply to one request. It owns the open `files` and closes them."""


class ProgramModule(Protocol):
    """A module that a zygote is started with."""

    def preload(self) -> None:
        """Load, in the zygote, what every child needs. Leaves no threads. Raises EnvironmentLacks."""

    def prepare(self, harden: Callable[[], None]) -> Any:
        """In a child that was just forked, before it gives its rights up: make what it cannot make later.

        A guest that is forked here gives up the same with `harden`.
        """

    def open_program(self, ask: Ask, prepared: Any) -> Program:
        """The program of the hardened child, with what `prepare` returned."""


def load_program(name: str) -> ProgramModule:
    """Import the program module `name`."""
    module: Any = import_module(name)
    return cast(ProgramModule, module)
