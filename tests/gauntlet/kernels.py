"""The gauntlet's kernels: cheats with the verdict that each must get, harmless and honest ones to accept.

A kernel is one `.cu` file. A cheat's first lines say what it does, what it breaks, and how it is judged:

    // A01: does nothing, and leaves in the output what was there before
    // breaks: a call writes every element of its outputs
    // gauntlet: operator=relu precision=fp32 status=wrong rule=unwritten_output

There may follow `sets` (by default `check`), `shapes`, where some of these sets' timed workloads are enough
(`shapes=16384x2048x4096`), `seconds`, the time of one call, and `gpu=yes`, where only a GPU shows what it is
after. A harmless kernel, which is after something that is not to be had, says after `since` why not. An
honest one says only what it is, its operator and its precision.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mskernelbench.evaluation import Status

FOLDER = Path(__file__).parent
HEAD = re.compile(r"// (?P<title>.*)\n(?:// (?:breaks|since): (?P<why>.*)\n)?// gauntlet: (?P<fields>.*)\n")
SECONDS = 60.0
NO_GAIN = 1.02
"""What the lower end of the speedup of a kernel that gains nothing may reach by chance."""


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
    shapes: tuple[str, ...] = field(default=(), kw_only=True)
    """Sizes of the timed workloads that it is judged on; all of its sets' without any."""


@dataclass(frozen=True, slots=True)
class Cheat(GauntletKernel):
    """A kernel that must be refused."""

    breaks: str
    status: Status
    rule: str
    """What refuses it first."""
    gpu: bool
    """Whether a GPU alone shows what it is after."""


@dataclass(frozen=True, slots=True)
class Harmless(GauntletKernel):
    """A kernel that does all of its work, and is after something besides that gains it nothing."""

    since: str
    """Why it does not."""
    gpu: bool
    """Whether a GPU alone shows what it is after."""


def cheats() -> tuple[Cheat, ...]:
    """All cheats, by name."""
    return tuple(_cheat(path) for path in sorted((FOLDER / "cheats").glob("*.cu")))


def harmless() -> tuple[Harmless, ...]:
    """All that gain nothing by what they are after, by name."""
    found = map(_told, sorted((FOLDER / "harmless").glob("*.cu")))
    return tuple(Harmless(**told, since=head["why"], gpu="gpu" in head) for head, told in found)


def suspects() -> tuple[Cheat | Harmless, ...]:
    """All cheats, then what is harmless."""
    return (*cheats(), *harmless())


def honest() -> tuple[GauntletKernel, ...]:
    """All honest kernels, by name."""
    return tuple(GauntletKernel(**_told(path)[1]) for path in sorted((FOLDER / "honest").glob("*.cu")))


def _cheat(path: Path) -> Cheat:
    head, told = _told(path)
    status, rule = Status(head["status"]), head["rule"]
    return Cheat(**told, breaks=head["why"], status=status, rule=rule, gpu="gpu" in head)


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
        "shapes": tuple(filter(None, head.get("shapes", "").split(","))),
        "seconds": float(head.get("seconds", SECONDS)),
        "source": source,
    }
