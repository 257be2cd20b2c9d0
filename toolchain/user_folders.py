"""Where this user's files of each kind belong, by the system's rules."""

import os
from pathlib import Path

PLACES = {
    "cache": ("XDG_CACHE_HOME", ".cache", "cudamaster"),
    "config": ("XDG_CONFIG_HOME", ".config", "cudamaster"),
    "data": ("XDG_DATA_HOME", ".local/share", "cudamaster"),
    "log": ("XDG_STATE_HOME", ".local/state", "cudamaster/log"),
}
"""By kind: the variable, the folder in the user's home where that is not set, and ours in it.

XDG Base Directory Specification, freedesktop.org.
"""


def user_folder(kind: str) -> Path:
    """The folder for `cache`, `config`, `data` or `log`; a machine that only measures lacks platformdirs."""
    try:
        import platformdirs
    except ImportError:
        variable, usual, own = PLACES[kind]
        return Path(os.environ.get(variable, "").strip() or Path.home() / usual) / own
    return Path(getattr(platformdirs, f"user_{kind}_dir")("cudamaster"))
