"""The version of this package, installed or not."""

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def own_version() -> str:
    """As installed; in a checkout that is used as it lies, what its project file says."""
    try:
        return version("cudamaster")
    except PackageNotFoundError:
        return str(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["version"])
