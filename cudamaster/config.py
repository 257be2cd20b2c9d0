"""Where settings enter: environment variables, the configuration file and the user's folders, nowhere else.

The configuration file is the one that CUDAMASTER_CONFIG names, else `cudamaster.toml` in the working folder,
else `config.toml` in the user's configuration folder:

    model = "openai:gpt-5"                    # what --model defaults to
    base_url = "http://localhost:8000/v1"     # --base-url
    protocol = "chat"                         # --protocol
    prices = "my-prices.toml"                 # beside this file
    [models]                                  # single roles
    coder = "anthropic:claude-sonnet-5"
    [keys]                                    # commands that print a key
    openai = ["pass", "show", "openai"]
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cudamaster.errors import BadConfig
from cudamaster.toolchain.user_folders import user_folder

KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""By kind of model."""
API_KEYS = tuple(KEY_VARIABLES.values())


@dataclass(frozen=True, slots=True)
class Folders:
    """Where things are kept."""

    runs: Path
    """One folder a run."""
    results: Path
    """Stored best kernels."""
    logs: Path
    """Tracebacks of our own faults."""
    cache: Path
    """Builds and other things that can be made again."""


def folders(
    environment: Mapping[str, str] = os.environ, runs: Path | None = None, results: Path | None = None
) -> Folders:
    """The folders in use: an argument, else an environment variable, else the platform's user folders."""

    def user(folder: str, variable: str, kind: str) -> Path:
        value = environment.get(variable)
        if value:
            return Path(os.path.expanduser(value))  # noqa: PTH111 (Path's fails where nobody has that home)
        return user_folder(kind) / folder

    return Folders(
        runs=runs or user("runs", "CUDAMASTER_RUNS_DIR", "data"),
        results=results or Path(environment.get("CUDAMASTER_RESULTS_DIR") or "results"),
        logs=user("", "CUDAMASTER_LOG_DIR", "log"),
        cache=user("", "CUDAMASTER_CACHE_DIR", "cache"),
    )


def operators_dir(given: Path | None, environment: Mapping[str, str] = os.environ) -> Path | None:
    """The user's own folder of operators: an argument, else `CUDAMASTER_OPERATORS_DIR`, else none."""
    value = environment.get("CUDAMASTER_OPERATORS_DIR")
    if given is not None or not value:
        return given
    return Path(os.path.expanduser(value)).absolute()  # noqa: PTH111 (Path's fails where nobody has that home)


def keys_set(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Names of the API keys that are set; never their values."""
    return tuple(name for name in API_KEYS if environment.get(name))


@dataclass(frozen=True, slots=True)
class Keys:
    """How API keys are found, and the user's own prices. Holds no key."""

    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By kind of model: a command that prints the key."""
    prices: Path | None = None
    """The user's price file."""


@dataclass(frozen=True, slots=True)
class Config:
    """What the configuration file says; empty where there is none."""

    model: str = ""
    base_url: str = ""
    protocol: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    keys: Keys = field(default_factory=Keys)
    file: Path | None = None
    """Where all this stands."""


def read_config(environment: Mapping[str, str] = os.environ) -> Config:
    """The configuration in force. Raises BadConfig."""
    file = _config_file(environment)
    data = _read_toml(file) if file else {}
    known = {"model": str, "base_url": str, "protocol": str, "prices": str, "models": dict, "keys": dict}
    for name, value in data.items():
        if name not in known or not isinstance(value, known[name]):
            raise BadConfig(f"{file}: {name} is unknown or of the wrong kind; known: {', '.join(known)}")
    prices = environment.get("CUDAMASTER_PRICES") or data.get("prices")
    beside = file.parent if file and not environment.get("CUDAMASTER_PRICES") else Path()
    return Config(
        data.get("model", ""),
        data.get("base_url", ""),
        data.get("protocol", ""),
        _texts(data.get("models", {}), f"{file}: models"),
        Keys(environment, _commands(data.get("keys", {}), file), beside / prices if prices else None),
        file,
    )


def _config_file(environment: Mapping[str, str]) -> Path | None:
    if named := environment.get("CUDAMASTER_CONFIG"):
        return Path(named)
    places = (Path("cudamaster.toml"), user_folder("config") / "config.toml")
    return next((place for place in places if place.is_file()), None)


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as fault:
        raise BadConfig(f"the configuration file {file} cannot be read: {fault.strerror}") from fault
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise BadConfig(f"the configuration file {file} is not TOML: {fault}") from fault


def _texts(table: Mapping[str, Any], where: str) -> dict[str, str]:
    wrong = [name for name, value in table.items() if not isinstance(value, str)]
    if wrong:
        example = 'coder = "anthropic:claude-sonnet-5"'
        raise BadConfig(f"{where} must be texts, such as {example}, unlike {', '.join(wrong)}")
    return dict(table)


def _commands(table: Mapping[str, Any], file: Path | None) -> dict[str, tuple[str, ...]]:
    commands = {}
    for kind, command in table.items():
        if kind not in KEY_VARIABLES:
            raise BadConfig(f"{file}: keys.{kind} is unknown; known: {', '.join(KEY_VARIABLES)}")
        if not (isinstance(command, list) and command and all(isinstance(word, str) for word in command)):
            raise BadConfig(f"{file}: keys.{kind} must be a list of words, the command and its arguments")
        commands[kind] = tuple(command)
    return commands
