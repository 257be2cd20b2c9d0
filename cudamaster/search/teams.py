"""Opens the team that a run's settings name: the built-in expert, language models, or recorded answers."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from cudamaster.agents.builtin.team import BuiltinTeam
from cudamaster.agents.language.team import LanguageTeam
from cudamaster.agents.models.anthropic_model import AnthropicModel
from cudamaster.agents.models.calling import Access
from cudamaster.agents.models.model import Model, Reply
from cudamaster.agents.models.openai_model import CHAT, RESPONSES, OpenAIModel
from cudamaster.agents.models.prices import price_of
from cudamaster.agents.models.recorded import RecordedModel, read_script
from cudamaster.agents.relay import Relay
from cudamaster.agents.role import all_roles
from cudamaster.agents.team import Team
from cudamaster.config import Keys
from cudamaster.errors import NoKey, UnknownName, UsageError
from cudamaster.search.purse import CALL
from cudamaster.search.settings import Settings
from cudamaster.store.codec import decode
from cudamaster.store.journal import read_events

BUILTIN = "builtin"
KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
KINDS = (BUILTIN, "openai:NAME", "anthropic:NAME", "scripted:FILE", "replay:JOURNAL")
KEY_COMMAND_SECONDS = 60.0


def open_team(settings: Settings, keys: Keys) -> Team:
    """The team of these settings. Raises UnknownName, UsageError, NoKey, ModelMisused, BadPrices."""
    if settings.model == BUILTIN:
        return BuiltinTeam()
    names = {role: settings.role_models.get(role, settings.model) for role in all_roles()}
    models = {name: open_model(name, settings, keys) for name in set(names.values())}
    team = LanguageTeam(settings.model, {role: models[name] for role, name in names.items()})
    return Relay(BuiltinTeam(), team, settings.expert_rounds) if settings.expert_rounds else team


def open_model(name: str, settings: Settings, keys: Keys) -> Model:
    """The model of this name; nothing is sent yet."""
    kind, _, rest = name.partition(":")
    if not rest:
        raise UnknownName("model", name, KINDS)
    match kind:
        case "openai":
            return _openai(rest, settings, keys)
        case "anthropic":
            access = Access(key_of(kind, keys), KEY_VARIABLES[kind])
            return AnthropicModel(rest, access, price=price_of(kind, rest, keys.prices))
        case "scripted":
            return read_script(Path(rest))
        case "replay":
            return RecordedModel(name, recorded(Path(rest)))
        case _:
            raise UnknownName("model", name, KINDS)


def _openai(model: str, settings: Settings, keys: Keys) -> OpenAIModel:
    """A server of the user's own needs no key, and is taken to speak Chat Completions."""
    own = bool(settings.base_url)
    key = key_of("openai", keys, needed=not own) or "none"
    return OpenAIModel(
        model,
        Access(key, KEY_VARIABLES["openai"], settings.base_url or None),
        protocol=settings.protocol or (CHAT if own else RESPONSES),
        price=price_of("openai", model, keys.prices),
        holds_schema=not own,
    )


def key_of(kind: str, keys: Keys, *, needed: bool = True) -> str:
    """The API key: from the key command where there is one, else the environment. Raises NoKey."""
    variable = KEY_VARIABLES[kind]
    if command := keys.commands.get(kind):
        return _said_by(command, kind)
    key = keys.environment.get(variable, "").strip()
    if needed and not key:
        raise NoKey(
            f"{variable} is not set: set it to your API key, or give --model {BUILTIN}, which needs none"
        )
    return key


def _said_by(command: tuple[str, ...], kind: str) -> str:
    try:
        said = subprocess.run(
            command, capture_output=True, text=True, timeout=KEY_COMMAND_SECONDS, check=True
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError) as fault:
        raise NoKey(f"the key command for {kind}, {command[0]}, failed ({type(fault).__name__})") from None
    if not said:
        raise NoKey(f"the key command for {kind}, {command[0]}, said nothing")
    return said


def recorded(journal: Path) -> Mapping[str, Reply]:
    """The answers that a run's journal holds, by question; `journal` may be the run's folder.

    Raises UsageError.
    """
    file = journal / "journal.jsonl" if journal.is_dir() else journal
    if not file.exists():
        raise UsageError(
            f"--model replay:{journal}: no journal there; name a run's folder or its journal.jsonl"
        )
    calls = (event for event in read_events(file) if event["event"] == "call")
    return {event["key"].removeprefix(CALL): decode(Reply, event["value"]) for event in calls}
