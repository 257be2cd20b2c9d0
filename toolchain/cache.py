"""The folder where compiled things are kept between runs, and how they appear in it whole or not at all.

Everything in it can be deleted at any time; it is only ever slower afterwards.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs

STALE_SECONDS = 3600.0
"""Age from which an unpublished folder is taken to be the remains of a killed process."""


def cache_folder() -> Path:
    """The cache's root, created: `CUDAMASTER_CACHE_DIR` where set, else the user's cache folder."""
    setting = os.environ.get("CUDAMASTER_CACHE_DIR")
    folder = Path(setting).absolute() if setting else Path(platformdirs.user_cache_dir("cudamaster"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def private_folder() -> Iterator[Path]:
    """An empty folder on the cache's file system, readable by its owner only and removed afterwards."""
    parent = cache_folder() / "unpublished"
    parent.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish_folder(final: Path, fill: Callable[[Path], None]) -> Path:
    """Make `final` appear at once with what `fill` writes into an empty folder; the first writer wins.

    `final` lies in the cache. Readers see nothing or the complete folder, whatever process dies when.
    """
    with private_folder() as folder:
        filled = folder / "filled"
        filled.mkdir()
        fill(filled)
        final.parent.mkdir(parents=True, exist_ok=True)
        try:
            filled.rename(final)
        except OSError:
            if not final.is_dir():
                raise
    return final


def publish_file(final: Path, content: bytes) -> Path:
    """Make `final` appear at once with `content`, replacing an older file."""
    final.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=final.parent, prefix=".unpublished-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(temporary).replace(final)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return final


@contextlib.contextmanager
def held(key: str) -> Iterator[None]:
    """Hold the lock of `key` against every other thread and process that uses this cache.

    Locks are striped by the key's first two characters, and the system drops them when their process dies.
    """
    folder = cache_folder() / "locks"
    folder.mkdir(exist_ok=True)
    with (folder / key[:2]).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def remove_stale(now: float) -> int:
    """Remove folders that a killed process left unpublished before `now` (seconds since 1970); how many."""
    removed = 0
    for folder in (cache_folder() / "unpublished").glob("*"):
        with contextlib.suppress(FileNotFoundError):
            if now - folder.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
    return removed
