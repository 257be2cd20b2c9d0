"""A device's line in the list of those that exist, whether or not this machine can open it."""

from dataclasses import dataclass

from cudamaster.toolchain.timing import Clock


@dataclass(frozen=True, slots=True)
class ListedDevice:
    """One name that `open_device` takes."""

    name: str
    """Such as `virtual:h200`."""
    title: str
    """What it is, in words."""
    clock: Clock
    lacks: str | None
    """What this machine lacks for it, in one sentence; None where it can be opened."""
