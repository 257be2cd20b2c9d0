"""What a run may spend on language models, checked before each call; and the models that go through it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from cudamaster.agents.models.model import Model, Reply, Request
from cudamaster.agents.models.price import Price, Usage
from cudamaster.agents.shortening import tokens_of
from cudamaster.agents.team import ModelTeam, Team
from cudamaster.errors import CudamasterError
from cudamaster.search.ledger import Ledger
from cudamaster.store.artefacts import Artefacts
from cudamaster.store.codec import decode, encode

CALL = "call/"
"""Beginning of the ledger's keys of calls."""
USD = "usd"
TOKENS = "tokens"


class BudgetSpent(CudamasterError):
    """The next call could break the budget. Never leaves the run: the best so far is kept."""


@dataclass
class Purse:
    """One run's money and tokens, over all its sessions. Safe to use from several threads."""

    ledger: Ledger
    max_usd: float | None = None
    max_tokens: int | None = None
    spent_out: str = ""
    """`usd` or `tokens` once a call was refused."""
    _reserved_usd: float = 0.0
    _reserved_tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def usd(self) -> float:
        """US dollars spent; calls without a known price count nothing."""
        return sum(reply.cost_usd or 0.0 for reply in self._replies())

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return sum(reply.usage.total for reply in self._replies())

    @property
    def asking(self) -> bool:
        """Whether an answer is waited for, or has just come."""
        return self._reserved_tokens > 0

    def _replies(self) -> Iterator[Reply]:
        return (decode(Reply, value) for value in self.ledger.values(CALL))

    @contextmanager
    def reserved(self, request: Request, price: Price | None) -> Iterator[None]:
        """Hold back what a call may cost at most while it is made. Raises BudgetSpent."""
        most = Usage(tokens_of(request.characters), 0, request.max_output_tokens)
        usd = price.cost_usd(most) if price else 0.0
        with self._lock:
            self._require(usd, most.total)
            self._reserved_usd += usd
            self._reserved_tokens += most.total
        try:
            yield
        finally:
            with self._lock:
                self._reserved_usd -= usd
                self._reserved_tokens -= most.total

    def _require(self, usd: float, tokens: int) -> None:
        if self.max_usd is not None and self.usd + self._reserved_usd + usd > self.max_usd:
            self._refuse(USD, f"${self.usd:.2f} of ${self.max_usd:.2f} are spent")
        if self.max_tokens is not None and self.tokens + self._reserved_tokens + tokens > self.max_tokens:
            self._refuse(TOKENS, f"{self.tokens} of {self.max_tokens} tokens are spent")

    def _refuse(self, kind: str, spent: str) -> None:
        self.spent_out = kind
        raise BudgetSpent(f"{spent}, and the next call could break the budget")


@dataclass(frozen=True, slots=True)
class PaidModel:
    """A model whose every answer is on disk before it is used, and is never paid for twice."""

    model: Model
    purse: Purse
    artefacts: Artefacts

    @property
    def name(self) -> str:
        """The model's own."""
        return self.model.name

    @property
    def price(self) -> Price | None:
        """The model's own."""
        return self.model.price

    def ask(self, request: Request) -> Reply:
        """The answer, from the journal where it was given before. Raises BudgetSpent, ModelError."""
        ledger = self.purse.ledger
        question = ledger.question()

        def pay() -> Any:
            with self.purse.reserved(request, self.price):
                return encode(self.model.ask(replace(request, key=question)))

        about = {"role": request.role, "asked": self._kept(request), "by": self.model.name}
        return decode(Reply, ledger.once("call", f"{CALL}{question}", pay, **about))

    def _kept(self, request: Request) -> dict[str, Any]:
        """The whole conversation, for whoever reads or exports the run."""
        turns = [{"speaker": turn.speaker, "text": self.artefacts.keep(turn.text)} for turn in request.turns]
        return {"system": self.artefacts.keep(request.system), "turns": turns}


def paid(team: Team, purse: Purse, artefacts: Artefacts) -> Team:
    """The same team; where it asks language models, through the purse."""
    if not isinstance(team, ModelTeam):
        return team
    models = {role: PaidModel(model, purse, artefacts) for role, model in team.models.items()}
    return team.through(models)
