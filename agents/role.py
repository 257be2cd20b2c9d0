"""A role of the team: what it is shown, what it answers, and how that is read. One folder declares each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Role:
    """One role. Its folder also holds `system.md.j2`, `task.md.j2` and `sample_reply.md`."""

    name: str
    """The folder's name."""
    gets: str
    """What it is shown."""
    returns: str
    """What it answers."""
    parse: Callable[[str], Any]
    """Reads a reply. Raises BadReply."""
    schema: Mapping[str, Any] | None = None
    """JSON schema of its answer; None where it answers with code."""

    @property
    def folder(self) -> Path:
        """Where its prompts lie."""
        return FOLDER / self.name


@cache
def all_roles() -> dict[str, Role]:
    """Roles by name: listing the folders is the registry."""
    names = sorted(file.parent.name for file in FOLDER.glob("*/task.md.j2"))
    return {name: import_module(f"cudamaster.agents.{name}").ROLE for name in names}
