"""What a command works with, and why: every choice made for the user is said."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from cudamaster.config import keys_set
from cudamaster.errors import NotAvailable, UnknownName

BUILTIN = "builtin"
LATER = ("openai", "anthropic")
"""Kinds of language models that are known and not yet built."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A name, and why it was chosen."""

    name: str
    reason: str

    def __str__(self) -> str:
        """`builtin: no API key is set`."""
        return f"{self.name}: {self.reason}" if self.reason else self.name


def choose_model(wanted: str | None, environment: Mapping[str, str] = os.environ) -> Choice:
    """Who proposes. Raises NotAvailable for a language model, UnknownName for anything else."""
    if wanted == BUILTIN:
        return Choice(BUILTIN, "as asked")
    if wanted is None:
        return Choice(BUILTIN, _why_builtin(keys_set(environment)))
    kind = wanted.partition(":")[0]
    if kind in LATER:
        raise NotAvailable(
            f"--model {wanted}: language models are not available in this version; "
            f"leave --model out, or give '{BUILTIN}', for the built-in expert"
        )
    raise UnknownName("model", wanted, [BUILTIN])


def _why_builtin(keys: tuple[str, ...]) -> str:
    if not keys:
        return "no API key is set (OPENAI_API_KEY, ANTHROPIC_API_KEY)"
    return f"{' and '.join(keys)} is set, but language models are not available in this version"
