"""What a command works with, and why: every choice made for the user is said."""

from dataclasses import dataclass, replace

from cudamaster.config import API_KEYS, Config, keys_set
from cudamaster.errors import UnknownName
from cudamaster.search.teams import BUILTIN, KINDS, SEE

USUAL_MODELS = {"OPENAI_API_KEY": "openai:gpt-5", "ANTHROPIC_API_KEY": "anthropic:claude-sonnet-5"}
"""Chosen where a key is set and no model is named."""
USUAL_MAX_USD = 5.0
"""What a model that nobody named may spend."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A name, and why it was chosen."""

    name: str
    reason: str
    max_usd: float | None = None
    """What it may spend, where nobody says."""

    def __str__(self) -> str:
        """`builtin: no API key is set`."""
        return f"{self.name}: {self.reason}" if self.reason else self.name


def choose_model(wanted: str | None, config: Config) -> Choice:
    """Who proposes. Raises UnknownName for what is no model."""
    chosen = _chosen(wanted, config)
    if chosen.name != BUILTIN or not config.models:
        return chosen
    unused = f"[models] of {config.file} is not used, since the expert plays every role"
    return replace(chosen, reason=f"{chosen.reason}; {unused}")


def _chosen(wanted: str | None, config: Config) -> Choice:
    if wanted is not None:
        return Choice(_known(wanted), "as asked")
    if config.model:
        return Choice(_known(config.model), "as the configuration file says")
    found = keys_set(config.keys.environment)
    if not found:
        return Choice(BUILTIN, f"no API key is set ({', '.join(API_KEYS)})")
    reason = f"{found[0]} is set; '--model builtin' costs nothing, '--model' names another"
    return Choice(USUAL_MODELS[found[0]], reason, USUAL_MAX_USD)


def _known(name: str) -> str:
    kind, _, rest = name.partition(":")
    known = {form.partition(":")[0] for form in KINDS if form != BUILTIN}
    if name == BUILTIN or (kind in known and rest):
        return name
    raise UnknownName("language model", name, KINDS, SEE)
