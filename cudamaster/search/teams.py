"""Opens the team that a run's settings name: the built-in expert, language models, or recorded answers."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from cudamaster.agents.builtin.team import BuiltinTeam
from cudamaster.agents.language.team import LanguageTeam
from cudamaster.agents.models.anthropic_model import AnthropicModel
from cudamaster.agents.models.calling import Access
from cudamaster.agents.models.model import Model, Reply
from cudamaster.agents.models.openai_model import CHAT, PROTOCOLS, RESPONSES, OpenAIModel
from cudamaster.agents.models.prices import price_of
from cudamaster.agents.models.recorded import RecordedModel, read_script
from cudamaster.agents.relay import Relay
from cudamaster.agents.role import all_roles
from cudamaster.agents.team import Team
from cudamaster.config import KEY_VARIABLES, Keys
from cudamaster.errors import NoKey, UnknownName, UsageError
from cudamaster.search.purse import CALL
from cudamaster.search.settings import Settings
from cudamaster.store.codec import Malformed, decode, well_formed
from cudamaster.store.journal import read_events

BUILTIN = "builtin"
KINDS = (BUILTIN, "openai:NAME", "anthropic:NAME", "scripted:FILE", "replay:RUN")
"""What `--model` takes."""
SEE = "docs/configuration.md tells of each."
KEY_COMMAND_SECONDS = 60.0
TRY_IT = "try it in a shell, and mend it at [keys] of the configuration file"


def open_team(settings: Settings, keys: Keys) -> Team:
    """The team of these settings. Raises UnknownName, UsageError, NoKey, ModelMisused, BadPrices."""
    if settings.model == BUILTIN:
        return BuiltinTeam()
    require_roles(settings.role_models)
    names = {role: settings.role_models.get(role, settings.model) for role in all_roles()}
    models = {name: open_model(name, settings, keys) for name in set(names.values())}
    team = LanguageTeam(settings.model, {role: models[name] for role, name in names.items()})
    return Relay(BuiltinTeam(), team, settings.expert_rounds) if settings.expert_rounds else team


def require_roles(role_models: Mapping[str, str]) -> None:
    """Raise UsageError for a role that the team lacks, and for the expert in a single one."""
    for role, model in role_models.items():
        if role not in all_roles():
            raise UnknownName("role", role, all_roles(), "It stands in the configuration file, at [models].")
        if model == BUILTIN:
            raise UsageError(f"the expert cannot be the {role} alone: name a language model at [models]")


def open_model(name: str, settings: Settings, keys: Keys) -> Model:
    """The model of this name; nothing is sent yet."""
    kind, _, rest = name.partition(":")
    if not rest:
        raise UnknownName("language model", name, KINDS, SEE)
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
            raise UnknownName("language model", name, KINDS, SEE)


def _openai(model: str, settings: Settings, keys: Keys) -> OpenAIModel:
    """A server of the user's own needs no key, and is taken to speak Chat Completions."""
    own = bool(settings.base_url)
    if own:
        require_address(settings.base_url)
    if settings.protocol not in ("", *PROTOCOLS):
        raise UnknownName("protocol", settings.protocol, PROTOCOLS)
    key = key_of("openai", keys, needed=not own) or "none"
    return OpenAIModel(
        model,
        Access(key, KEY_VARIABLES["openai"], settings.base_url or None),
        protocol=settings.protocol or (CHAT if own else RESPONSES),
        price=price_of("openai", model, keys.prices),
        holds_schema=not own,
    )


def require_address(url: str) -> None:
    """Raise UsageError for what is no server's address."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # of a port, or of brackets
        whole = False
    if not whole:
        raise UsageError(f"--base-url {url} is no address of a server, such as http://localhost:8000/v1")


def key_of(kind: str, keys: Keys, *, needed: bool = True) -> str:
    """The API key: from the key command where there is one, else the environment. Raises NoKey."""
    variable = KEY_VARIABLES[kind]
    if command := keys.commands.get(kind):
        return _plain(_said_by(command, kind), f"what {_asked(command, kind)} printed")
    key = _plain(keys.environment.get(variable, "").strip(), variable)
    if needed and not key:
        raise NoKey(
            f"{variable} is not set: set it to your API key, or give --model {BUILTIN}, which needs none"
        )
    return key


def _plain(key: str, source: str) -> str:
    """The key. Raises NoKey where no request could carry it."""
    if not (key.isascii() and key.isprintable()):
        raise NoKey(
            f"{source} holds more than a key (a line break, or a letter that no key has): set it anew"
        )
    return key


def _said_by(command: tuple[str, ...], kind: str) -> str:
    try:
        said = subprocess.run(
            command, capture_output=True, text=True, timeout=KEY_COMMAND_SECONDS, check=True
        ).stdout.strip()
    except (OSError, ValueError, subprocess.SubprocessError) as fault:  # ValueError: bytes that are no text
        raise NoKey(f"{_asked(command, kind)} failed ({type(fault).__name__}): {TRY_IT}") from None
    if not said:
        raise NoKey(f"{_asked(command, kind)} said nothing: {TRY_IT}")
    return said


def _asked(command: tuple[str, ...], kind: str) -> str:
    return f"the key command for {kind}, {command[0]},"


def recorded(journal: Path) -> Mapping[str, Reply]:
    """The answers that a run's journal holds, by question; `journal` may be the run's folder.

    Raises UsageError.
    """
    file = journal / "journal.jsonl" if journal.is_dir() else journal
    if not file.exists():
        raise UsageError(
            f"--model replay:{journal}: no journal there; name a run's folder or its journal.jsonl"
        )
    calls = [event for event in read_events(file) if event["event"] == "call"]
    if not calls:
        raise UsageError(f"--model replay:{journal}: no language model was asked anything in that run")
    try:
        with well_formed():
            return {event["key"].removeprefix(CALL): decode(Reply, event["value"]) for event in calls}
    except Malformed as fault:
        raise UsageError(f"--model replay:{journal}: the journal is damaged: {fault}") from fault
