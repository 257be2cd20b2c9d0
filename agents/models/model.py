"""What a language model is asked and what it answers; the seam that every kind of model stands behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from cudamaster.agents.models.price import Price, Usage
from cudamaster.agents.shortening import tokens_of

STOPPED = "stop"
"""The model said all it wanted to say."""
CUT_OFF = "length"
"""The reply reached its token limit."""
REFUSED = "refusal"
"""The model declined to answer."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    speaker: str
    """`user` or `assistant`."""
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """One question."""

    role: str
    """The role of the team that asks; names of roles are those of `agents/`."""
    system: str
    """Who the model is; the same in every round, so that servers can keep it."""
    turns: tuple[Turn, ...]
    """The conversation, the user's turn last."""
    max_output_tokens: int
    schema: Mapping[str, Any] | None = None
    """A JSON schema that the reply is to follow, where the server can hold a model to one."""
    key: str = ""
    """Names the question within its run, the same in every session: what recorded answers are found by."""

    @property
    def characters(self) -> int:
        """Characters sent."""
        return len(self.system) + sum(len(turn.text) for turn in self.turns)

    def usage(self, text: str, *, read: Any, cached: Any, written: Any) -> Usage:
        """The tokens of this question and its answer, as a server counts them; an estimate where it does not.

        A limit would not hold on a server that says nothing, or something below zero.
        """
        tokens = _count(read) or tokens_of(self.characters)
        return Usage(tokens, min(_count(cached), tokens), _count(written) or tokens_of(len(text)))


def _count(told: Any) -> int:
    return told if type(told) is int and told > 0 else 0


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer, paid for."""

    text: str
    model: str
    """The model that answered, as the server named it."""
    ending: str = STOPPED
    """`stop`, `length` or `refusal`."""
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    """None where no price is known."""
    seconds: float = 0.0


class Model(Protocol):
    """Something that answers."""

    @property
    def name(self) -> str:
        """What `--model` calls it, such as `openai:gpt-5`."""

    @property
    def price(self) -> Price | None:
        """What its tokens cost; None where that is not known."""

    def ask(self, request: Request) -> Reply:
        """The answer. Raises ModelUnavailable where none is to be had, ModelMisused for a bad request."""
