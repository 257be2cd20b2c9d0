"""How a run searches: from which kernel each candidate of a round starts, and what its roles look at.

It is not called a strategy: that is a way to make kernels faster (`agents/builtin/playbook/`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from cudamaster.errors import UnknownName
from cudamaster.search import methods

if TYPE_CHECKING:
    import numpy as np

    from cudamaster.agents.nouns import Situation

REFINE = "refine"
"""The usual one."""


@dataclass(frozen=True, slots=True)
class Start:
    """Candidates of one round that start from the same kernel."""

    parent: int
    """Number of the attempt they start from; 0 is the baseline."""
    candidates: int
    sees: tuple[int, ...]
    """Numbers of the attempts that their roles may look at; the parent is one, or the baseline."""
    island: int = 0
    """Where they are kept: 0 is common to all."""


Method = Callable[["Situation", int, "np.random.Generator"], list[Start]]
"""The starts of a round: from all attempts so far, for so many candidates, by these random numbers only."""


def method_names() -> list[str]:
    """What `--search` takes."""
    return sorted(_said(module.name) for module in iter_modules(methods.__path__))


def find_method(name: str) -> Method:
    """The method of this name. Raises UnknownName."""
    if name not in method_names():
        raise UnknownName("search", name, method_names())
    module = import_module(f"{methods.__name__}.{name.replace('-', '_')}")
    starts: Method = module.starts
    return starts


def _said(module: str) -> str:
    return module.replace("_", "-")
