"""Where settings enter: environment variables and the user's folders, read nowhere else."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

API_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
"""Looked at only to say whether they are set."""


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
    import platformdirs

    def user(folder: str, variable: str, kind: str) -> Path:
        value = environment.get(variable)
        if value:
            return Path(os.path.expanduser(value))  # noqa: PTH111 (Path's fails where nobody has that home)
        return Path(getattr(platformdirs, kind)("cudamaster")) / folder

    return Folders(
        runs=runs or user("runs", "CUDAMASTER_RUNS_DIR", "user_data_dir"),
        results=results or Path(environment.get("CUDAMASTER_RESULTS_DIR") or "results"),
        logs=user("", "CUDAMASTER_LOG_DIR", "user_log_dir"),
        cache=user("", "CUDAMASTER_CACHE_DIR", "user_cache_dir"),
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
