"""The gauntlet's kernels: cheats with the verdict that each must get, and honest ones that must be accepted.

A kernel is one `.cu` file. A cheat's first lines say what it does, what it breaks, and how it is judged:

    // A01: does nothing, and leaves in the output what was there before
    // breaks: a call writes every element of its outputs
    // gauntlet: operator=relu precision=fp32 status=wrong rule=unwritten_output

There may follow `sets` (by default `check`), `seconds`, the time of one call, and `gpu=yes`, where only a GPU
shows what it is after. An honest kernel says only what it is, its operator and its precision.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mskernelbench.evaluation import Status

FOLDER = Path(__file__).parent
HEAD = re.compile(r"// (?P<title>.*)\n(?:// breaks: (?P<breaks>.*)\n)?// gauntlet: (?P<fields>.*)\n")
SECONDS = 60.0
NO_GAIN = 1.02
"""What the lower end of the speedup of a cheat that gains nothing may reach by chance."""


@dataclass(frozen=True, slots=True)
class GauntletKernel:
    """One file and what is said of it."""

    name: str
    title: str
    """What it does, after the cheat's number."""
    operator: str
    precision: str
    sets: tuple[str, ...]
    seconds: float
    """Wall time that a call may take."""
    source: str


@dataclass(frozen=True, slots=True)
class Cheat(GauntletKernel):
    """A kernel that must be refused."""

    breaks: str
    status: Status
    rule: str
    """What refuses it first; `no_gain` where it is accepted and no faster by its cheat."""
    gpu: bool
    """Whether a GPU alone shows what it is after."""


def cheats() -> tuple[Cheat, ...]:
    """All cheats, by name."""
    return tuple(_cheat(path) for path in sorted((FOLDER / "cheats").glob("*.cu")))


def honest() -> tuple[GauntletKernel, ...]:
    """All honest kernels, by name."""
    return tuple(GauntletKernel(**_told(path)[1]) for path in sorted((FOLDER / "honest").glob("*.cu")))


def _cheat(path: Path) -> Cheat:
    head, told = _told(path)
    status, rule = Status(head["status"]), head["rule"]
    return Cheat(**told, breaks=head["breaks"], status=status, rule=rule, gpu="gpu" in head)


def _told(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """What the head says, and the fields of any kernel."""
    source = path.read_text()
    match = HEAD.match(source)
    if match is None:
        raise ValueError(f"{path.name} does not begin as the gauntlet's kernels do")
    head = match.groupdict() | dict(field.split("=") for field in match["fields"].split())
    return head, _shared(path, head, source)


def _shared(path: Path, head: Mapping[str, str], source: str) -> dict[str, Any]:
    return {
        "name": path.stem,
        "title": head["title"],
        "operator": head["operator"],
        "precision": head["precision"],
        "sets": tuple(head.get("sets", "check").split(",")),
        "seconds": float(head.get("seconds", SECONDS)),
        "source": source,
    }
